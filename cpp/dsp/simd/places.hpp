// The places of the values that are below a limit, in ascending order: which distances may be among
// the nearest neighbours (dsp/neighbors.cpp).
//
// Values are doubles side by side. A comparison of a whole vector gives a word with one bit a lane;
// the loop over the bits that are set writes their places. Few distances are below the limit, so
// most vectors take one comparison and one branch, which the processor predicts well. A compressing
// store would have to be emulated on all sets but AVX-512, for the few places there are.
//
// Compiled without contraction, as all of decisions.cpp; here there is nothing to contract.
#pragma once

#include "dsp/simd/decisions.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

Index places_below(const double* values, Index n, double limit, int32_t* places) {
  constexpr int W = native_width<double>;
  const Vec<double, W> limits = broadcast<double, W>(limit);
  Index count = 0, i = 0;
  for (; i + W <= n; i += W)
    for (unsigned bits = lane_bits(load<double, W>(values + i) < limits); bits; bits &= bits - 1)
      places[count++] = int32_t(i) + __builtin_ctz(bits);
  for (; i < n; ++i)
    if (values[i] < limit) places[count++] = int32_t(i);
  return count;
}

}  // namespace
}  // namespace metalmom::dsp::simd
