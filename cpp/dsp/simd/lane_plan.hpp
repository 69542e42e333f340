// What a transform of frames in lanes needs to know, computed once per length. Plain memory, for
// kernels that are compiled for one instruction set.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

// The most frames that are transformed at once.
inline constexpr int most_lag_lanes = 4;

// Butterflies of `radix` over blocks of `size` points; the twiddles of block position j are
// exp(-2 pi i j q / size) for q = 1 .. radix - 1.
struct LanePass {
  int radix;
  Index size, twiddles;
};

// The places of the bins k and points - k after the forward passes, and cosine and sine of pi k /
// points.
struct LanePair {
  Index at, mirror;
  double cosine, sine;
};

// The forward transform is a radix-2 pass over all points and then `passes`, which treat both
// halves alike.
struct LanePlan {
  Index points = 0;  // complex; at least the length of a frame, whose samples lie in pairs
  Index n_passes = 0, n_pairs = 0;
  double scale = 1;
  const LanePass* passes = nullptr;
  const LanePair* pairs = nullptr;
  const double* twiddles = nullptr;  // those of the radix-2 pass first
};

}  // namespace metalmom::dsp::simd
