// Decoding is nine tenths of the time of loading compressed audio. Where a format can be entered at
// any frame with the same samples as from its beginning, threads decode parts of a file at once.
#pragma once

#include <memory>

#include "io/decoder.hpp"

namespace metalmom::io {

// A decoder of the `count` frames from `start` on, where `decoder` stands. It is `decoder` itself
// for short excerpts, one thread, and formats and sources that have to be read in order.
std::unique_ptr<Decoder> decode_in_parallel(std::unique_ptr<Decoder> decoder, SampleType type,
                                            Index start, Index count);

}  // namespace metalmom::io
