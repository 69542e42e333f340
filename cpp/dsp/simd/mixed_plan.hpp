// What the transforms of any size in lanes need to know. Plain memory, for kernels that are
// compiled for one instruction set.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

// The largest prime factor that the passes take; with a larger one the library is faster.
inline constexpr int largest_factor = 61;

// A pass over transforms of radix * rest points, in place: points of a butterfly are `rest` apart.
template <class T>
struct MixedPass {
  int radix;
  Index rest;
  const T* twiddles;  // pairs; for each p < rest those of the outputs 1 .. radix - 1
  // Pairs: for odd radices exp(-2 pi i j k / radix), for j and k from 1 to radix / 2.
  const T* roots;
};

// A real transform. Of even sizes it is a complex transform of half the size, whose points are
// pairs of samples; of odd sizes a complex one of samples with imaginary parts of zero.
template <class T>
struct MixedPlan {
  Index size = 0, points = 0, n_passes = 0;
  const MixedPass<T>* passes = nullptr;
  // Where groups of the last pass begin; the results of group g are g, g + n_groups, ...
  const Index* groups = nullptr;
  const T* split = nullptr;  // for even sizes, exp(-2 pi i k / size) for k <= points / 2

  constexpr bool packed() const { return size != points; }
};

// Values of working memory, enough for the widest vectors: a point per lane.
constexpr Index mixed_work_size(Index points) {
  return 2 * 16 * points;
}

}  // namespace metalmom::dsp::simd
