// Tables of the kernels' transforms.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "dsp/simd/kernels.hpp"

namespace metalmom::dsp::simd {

// The kernels of n_fft for signals of type S; null functions for sizes without kernels.
template <class T, class S>
FrameKernels<T, S> frame_kernels(const Kernels& kernels, Index n_fft);

// The constants of fft_plan(points, width), from a bounded cache.
template <class T>
std::shared_ptr<const Buffer<T>> fft_table(Index points, int width);

// The mixed-radix kernels, which do all other sizes, for signals of type S.
template <class T, class S>
const MixedKernels<T, S>& mixed_kernels(const Kernels& kernels);

template <class T>
MixedInverse<T> mixed_inverse(const Kernels& kernels) {
  if constexpr (sizeof(T) == 4)
    return kernels.float_inverse;
  else
    return kernels.double_inverse;
}

template <class T>
struct MixedTable {
  MixedPlan<T> plan;
  std::vector<MixedPass<T>> passes;
  std::vector<Index> groups;
  Buffer<T> constants;

  std::size_t bytes() const {
    return passes.size() * sizeof(MixedPass<T>) + groups.size() * sizeof(Index) +
           constants.size() * sizeof(T);
  }
};

// The plan of a size for the mixed-radix kernels, from a bounded cache. Null for sizes with a large
// prime factor, and for those whose frames in lanes would not fit the caches.
template <class T>
std::shared_ptr<const MixedTable<T>> mixed_table(Index size);

}  // namespace metalmom::dsp::simd
