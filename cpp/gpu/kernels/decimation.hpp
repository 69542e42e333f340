// The low-pass filter of halving a rate, such that it gives what libsoxr's soxr_hq gives on the CPU.
#pragma once

#include <vector>

namespace metalmom::gpu {

// The filter's even taps, then its odd ones, decimate_taps each: tap j of phase p is 2 j + p, of which
// the middle is decimate_taps.
std::vector<float> halving_filter();

}  // namespace metalmom::gpu
