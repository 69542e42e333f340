// The decoder behind an ffmpeg process, for what libsndfile cannot read.
#pragma once

#include <memory>
#include <string>

#include "io/decoder.hpp"
#include "io/sniff.hpp"

namespace metalmom::io {

// Throws AudioError where ffmpeg is not installed, or finds no audio either.
std::unique_ptr<Decoder> open_ffmpeg(std::unique_ptr<Source> source, const std::string& name,
                                     const Kind& kind, SampleType type);

}  // namespace metalmom::io
