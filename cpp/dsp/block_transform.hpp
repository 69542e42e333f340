// Spectra of blocks of L real samples, whose products are convolutions of the blocks
// (simd/block_fft.hpp): L complex values in groups of 16 (simd/partitions.hpp). L is a power of two
// from 64 on.
#pragma once

#include <cstddef>
#include <memory>

#include "base/buffer.hpp"
#include "dsp/simd/partitions.hpp"

namespace metalmom::dsp {

// Twiddles of a size and width of vectors.
template <class T>
struct BlockTable {
  simd::BlockPlan<T> plan;
  Buffer<T> values;

  std::size_t bytes() const { return values.size() * sizeof(T); }
};

template <class T>
class BlockTransform {
 public:
  explicit BlockTransform(Index size);

  Index size() const { return size_; }
  Index n_groups() const { return size_ / simd::group_bins; }
  // The size of `work` in values.
  Index work_size() const { return 2 * size_; }

  // Groups `stride` values apart.
  void forward(const T* samples, T* work, T* groups, Index stride) const;
  // Adds the first L samples of the 2 L of a product to `low` and the others to `high`.
  void add_inverse(const T* groups, Index stride, T* work, T* low, T* high) const;

  // The same in so many parts of about equal work, to be done in their order with the same `work`.
  Index n_parts() const { return 2 * table_->plan.n_spans(); }
  void forward_part(Index part, const T* samples, T* work, T* groups, Index stride) const;
  void inverse_part(Index part, const T* groups, Index stride, T* work, T* low, T* high) const;

 private:
  Index size_;
  const simd::BlockKernels<T>& kernels_;
  std::shared_ptr<const BlockTable<T>> table_;
};

}  // namespace metalmom::dsp
