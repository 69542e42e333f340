// Transforms of blocks for overlap-save: 2 L samples to spectra in groups
// (dsp/simd/partitions.hpp), and the last L samples back. L is a power of two of at least 64.
#pragma once

#include <complex>
#include <memory>

#include "base/buffer.hpp"
#include "dsp/fft.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/simd/partitions.hpp"

namespace metalmom::stream {

template <class T>
class BlockSpectra {
 public:
  explicit BlockSpectra(Index size);

  Index size() const { return size_; }
  Index n_groups() const { return size_ / dsp::simd::group_bins; }

  // Of 2 L samples: groups `stride` values apart; returns the bin at half the sampling rate.
  T forward(const T* samples, T* groups, Index stride) const;
  // Adds the last L samples of the inverse of groups that lie side by side.
  void add_inverse(const T* groups, T half_rate, T* out) const;

 private:
  Index size_;
  const dsp::simd::PartitionKernels<T>& kernels_;
  std::shared_ptr<const dsp::FrameTransform<T>> transform_;  // null for the smallest size
  std::shared_ptr<const dsp::RealFft<T>> small_;
};

}  // namespace metalmom::stream
