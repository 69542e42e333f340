// Weighted sums of rows of a matrix, chosen by their numbers: the means over nearest neighbours of
// nn_filter.
//
// out[c] is a sum over the chosen rows of weight * row[c]. Columns are lanes; eight vectors of
// columns stay in registers over all rows, so that a weight and a row's place are read once for
// eight loads. A sum runs over the rows in their order whatever the width, also for the columns
// that are left over.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Sums of n vectors of columns.
template <class T, int n>
[[gnu::always_inline]] inline void weighted_columns(const T* rows, Index stride,
                                                    const int32_t* which, const T* weights,
                                                    Index count, T* out) {
  constexpr int W = native_width<T>;
  Vec<T, W> sums[n] = {};
  for (Index k = 0; k < count; ++k) {
    const T* row = rows + which[k] * stride;
    const Vec<T, W> weight = weights[k] + Vec<T, W>{};
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) sums[i] += weight * load<T, W>(row + i * W);
  }
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) store<T, W>(out + i * W, sums[i]);
}

template <class T>
void weighted_rows(const T* rows, Index stride, const int32_t* which, const T* weights, Index count,
                   Index width, T* out) {
  constexpr int W = native_width<T>;
  Index column = 0;
  for (; column + 8 * W <= width; column += 8 * W)
    weighted_columns<T, 8>(rows + column, stride, which, weights, count, out + column);
  for (; column + W <= width; column += W)
    weighted_columns<T, 1>(rows + column, stride, which, weights, count, out + column);
  for (; column < width; ++column) {
    T sum = 0;
    for (Index k = 0; k < count; ++k) sum += weights[k] * rows[which[k] * stride + column];
    out[column] = sum;
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
