#pragma once

#include <algorithm>

#include "base/index.hpp"

namespace metalmom {

// Whether no value is NaN or infinite. x - x is 0 for finite x and NaN otherwise, so one sum finds
// both.
template <class T>
bool all_finite(const T* values, Index count) {
  T sum[16] = {};
  const Index whole = count / 16 * 16;
  for (Index i = 0; i < whole; i += 16)
    for (Index lane = 0; lane < 16; ++lane) sum[lane] += values[i + lane] - values[i + lane];
  for (Index i = whole; i < count; ++i) sum[0] += values[i] - values[i];
  return std::all_of(sum, sum + 16, [](T each) { return each == T(0); });
}

}  // namespace metalmom
