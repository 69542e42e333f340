// What those who cut a response into partitions agree on, of whole signals and of streams.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp {

inline constexpr Index smallest_block = 64;  // below that sums of products are cheaper

// A sum of products in nanoseconds a tap and sample, measured on one core with AVX-512.
inline constexpr double ns_of_direct_tap = 0.02;

}  // namespace metalmom::dsp
