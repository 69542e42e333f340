// Where values are below a limit: what passes on to the search for nearest neighbours. Few are, so
// most vectors cost a comparison.
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
