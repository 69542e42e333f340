// What the transforms of any size in lanes need to know. Plain memory, for kernels that are
// compiled for one instruction set.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

// Prime factors up to this one; above it the definition costs more than the library.
inline constexpr int largest_factor = 61;

// Butterflies of `radix` (Stockham): inputs lie stride * rest apart, outputs stride.
template <class T>
struct MixedPass {
  int radix;
  Index stride, rest;
  const T* twiddles;  // pairs; for each p < rest those of the outputs 1 .. radix - 1
  // Pairs; of odd radices exp(-2 pi i j k / radix) for j and k from 1 to radix / 2.
  const T* roots;
};

// A real transform of even size as a complex one of half of it, whose points are pairs of samples;
// of odd size as a complex one of samples without imaginary parts.
template <class T>
struct MixedPlan {
  Index size = 0, points = 0, n_passes = 0;
  const MixedPass<T>* passes = nullptr;
  const T* split = nullptr;  // of even sizes, exp(-2 pi i k / size) for k <= points / 2

  constexpr bool packed() const { return size != points; }
};

// Values of working memory for the widest vectors: two buffers of a point per lane.
constexpr Index mixed_work_size(Index points) {
  return 2 * 2 * 16 * points;
}

}  // namespace metalmom::dsp::simd
