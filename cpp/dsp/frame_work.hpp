// Working memory of frame transforms, and frames laid out in it: for their sources alone.
#pragma once

#include <algorithm>
#include <complex>

#include "base/buffer.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

// Working memory of one thread for one precision of signal or transform.
template <class T>
struct Work {
  Scratch<T> gathered, samples, rows, lanes, spectra, kernel;
  Scratch<std::complex<T>> bins;
};

template <class T>
Work<T>& work() {
  static thread_local Work<T> instance;
  return instance;
}

template <class S>
const S* frame_samples(const FrameSource<S>& source, Index frame) {
  if (const S* samples = frame_in_place(source, frame)) return samples;
  S* gathered = work<S>().gathered.get(static_cast<std::size_t>(source.n_fft));
  gather_frame(source, frame, gathered);
  return gathered;
}

// Rows one after the other, an odd number of cache lines apart: 16 of them are read at once.
inline constexpr Index row_stride(Index n) {
  return (n / 32 * 2 + 3) * 16;
}

// The samples of up to 16 frames in lane layout.
template <class S>
const S* frame_lanes(const FrameSource<S>& source, Index first, Index count,
                     const simd::LaneKernels<S>& kernels) {
  S* const lanes = work<S>().lanes.get(static_cast<std::size_t>(source.n_fft * block_frames));
  const S* const begin = frame_in_place(source, first);
  if (begin && frame_in_place(source, first + count - 1)) {
    kernels.from_rows(begin, source.hop_length, count, source.n_fft, lanes);
    return lanes;
  }
  const Index stride = row_stride(source.n_fft);
  S* const rows = work<S>().rows.get(static_cast<std::size_t>(stride * block_frames));
  for (Index i = 0; i < count; ++i)
    std::copy_n(frame_samples(source, first + i), source.n_fft, rows + i * stride);
  kernels.from_rows(rows, stride, count, source.n_fft, lanes);
  return lanes;
}

}  // namespace metalmom::dsp
