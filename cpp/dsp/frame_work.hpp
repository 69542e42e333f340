// Gathers frames for transforms: for the sources of frame transforms and octaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/workspace.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

// The samples of a frame: where they lie, or gathered into `memory` of n_fft values.
template <class S>
const S* frame_samples(const FrameSource<S>& source, Index frame, S* memory) {
  if (const S* samples = frame_in_place(source, frame)) return samples;
  gather_frame(source, frame, memory);
  return memory;
}

// Values from one row to the next where 16 rows are read at once: an odd number of cache lines, so
// that rows do not share a set of the cache.
inline constexpr Index row_stride(Index n) {
  return (n / 32 * 2 + 3) * 16;
}

// Brings the samples of up to 16 frames into lane layout: n_fft * 16 values.
template <class S>
void frame_lanes(const FrameSource<S>& source, Index first, Index count,
                 const simd::LaneKernels<S>& kernels, S* lanes) {
  const S* const begin = frame_in_place(source, first);
  if (begin && frame_in_place(source, first + count - 1)) {
    kernels.from_rows(begin, source.hop_length, count, source.n_fft, lanes);
    return;
  }
  const Index stride = row_stride(source.n_fft);
  const Lent<S> rows(stride * block_frames), gathered(source.n_fft);
  for (Index i = 0; i < count; ++i)
    std::copy_n(frame_samples(source, first + i, gathered.data()), source.n_fft, rows + i * stride);
  kernels.from_rows(rows, stride, count, source.n_fft, lanes);
}

// The sum of squares of a frame of which S holds all that are less than 190 dB (float) below the
// sum.
template <class S>
S least_sum_of_squares() {
  return std::ldexp(S(1), std::numeric_limits<S>::min_exponent / 2);
}

// Whether S holds the squares of a frame with this sum: the greatest has not overflowed, and none
// underflows that is less than those 190 dB below.
template <class S>
bool holds_squares(S sum) {
  const S most = std::ldexp(S(1), -std::numeric_limits<S>::min_exponent - 6);
  return sum > least_sum_of_squares<S>() &&
         sum < most;  // false for NaN, which is what infinities cancel to
}

}  // namespace metalmom::dsp
