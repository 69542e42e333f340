// How a transform is cut into passes: computed at compile time, and shared by the kernels (loops
// with constant bounds and strides) and by the planner that fills their table.
//
// A real transform of 2M values is a complex one of M = W * S points, W the width of a vector.
// The first pass, of radix W, reads the samples and transposes W x W blocks in registers; after it
// the data are S slots of one complex vector each, whose W lanes are W interleaved transforms of
// length S. The other passes run over slots, in place: half the cache of two buffers. That leaves
// the slots in digit-reversed order, which costs nothing: the last step looks up the slot of each
// block of W bins, and mirrored bins lie in mirrored blocks.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

// Radix R over sub-transforms of `length` slots:
//   slot[p + k * length / R] <- w^(p k) * DFT_R over j of slot[p + j * length / R]
// with w = exp(-2 pi i / length), p < length / R. The first pass does the same to the input.
struct FftPass {
  int radix = 0;
  Index length = 0;
  // Where its twiddles w^(p k), k = 1 .. R - 1, begin in the table. First pass: for each group of
  // W values of p and each k a vector of real and one of imaginary parts. Others: for each p >= 1
  // and each k a pair.
  Index twiddles = 0;
};

struct FftPlan {
  Index points = 0;
  int width = 0;
  int n_passes = 0;
  FftPass passes[6];
  // exp(-2 pi i k / (2 points)) for k < points / 2: all real parts, then all imaginary parts.
  Index split = 0;
  Index table_size = 0;
};

inline constexpr Index largest_points = 8192;
// Values of working memory. It has one slot more than the transform needs, because the inverse
// reads all bins of a spectrum, one more than there are points.
constexpr Index work_size(Index points, int width) {
  return 4 * (points + width);
}
inline constexpr Index smallest_points(int width) {
  return width * width;
}

// `points`: a power of two from smallest_points(width) to largest_points.
constexpr FftPlan fft_plan(Index points, int width) {
  FftPlan plan;
  plan.points = points;
  plan.width = width;
  for (Index length = points; length > 1;) {
    // Radix 8 wherever possible. What remains in the end, 16 points, is one pass of radix 16 where
    // there are enough registers, otherwise two of radix 4, which is faster than 8 * 2.
    const int last = length == 16 && width >= 8 ? 16 : 4;
    const int radix = length == points ? width : length == 4 || length == 16 ? last : 8;
    plan.passes[plan.n_passes++] = {radix, length, plan.table_size};
    plan.table_size += 2 * (length / radix) * (radix - 1);
    length /= radix;
  }
  plan.split = (plan.table_size + 15) / 16 * 16;  // rounded up, so that vectors of it are aligned
  plan.table_size = plan.split + points;
  return plan;
}

// The slot that holds the bins block * W .. block * W + W - 1 in the end.
constexpr Index slot_of_block(const FftPlan& plan, Index block) {
  Index slot = 0;
  for (int i = 1; i < plan.n_passes; ++i) {
    slot += block % plan.passes[i].radix * (plan.passes[i].length / plan.passes[i].radix);
    block /= plan.passes[i].radix;
  }
  return slot;
}

}  // namespace metalmom::dsp::simd
