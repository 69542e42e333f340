// The decoder behind libsndfile.
#pragma once

#include <memory>
#include <string>

#include "io/decoder.hpp"

namespace metalmom::io {

// Null where libsndfile does not know the format; `source` is then still there.
std::unique_ptr<Decoder> open_sndfile(std::unique_ptr<Source>& source, const std::string& name,
                                      SampleType type);

}  // namespace metalmom::io
