// The low-pass filter that halves a rate: that of libsoxr's soxr_hq, which the CPU uses, to within
// 8e-8 of its largest tap (decimation.cpp says how it was found).
#pragma once

#include <vector>

namespace metalmom::gpu {

// The filter's even taps, then its odd ones, decimate_taps each: tap j of phase p is 2 j + p, of
// which the middle is decimate_taps.
std::vector<float> halving_filter();

}  // namespace metalmom::gpu
