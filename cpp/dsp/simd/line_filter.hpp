// Convolution with kernels of which most is zero: diagonal lines across an image (path enhancement
// of recurrence matrices), the largest of several filters.
//
// `in` is an image with margins, row after row; `out` has two of its rows, which keep the larger of
// what they hold and the new sums, so that the filters of all directions are applied one after the
// other. Of each row of a kernel only the run of columns that is not zero is read (LineTaps): a
// line at 45 degrees of length n costs n products a cell in place of n * n.
//
// Two rows of output and four vectors of columns at once: a value that is loaded serves both rows,
// and a weight four vectors.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/tonal.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Sums over the taps, for dense images.
template <class T>
void filter_lines(const LineTaps<T>& taps, const T* in, Index in_stride, Index n_cols, T* out) {
  constexpr int W = native_width<T>;
  for (Index column = 0; column < n_cols; column += 4 * W) {
    Vec<T, W> upper[4] = {}, lower[4] = {};
    const T* weight = taps.weights;
    for (Index row = 0; row < taps.n_rows; ++row) {
      const T* from = in + row * in_stride + taps.first[row] + column;
      for (Index tap = 0; tap < taps.count[row]; ++tap, ++from, weight += 2) {
        const Vec<T, W> up = broadcast<T, W>(weight[0]), low = broadcast<T, W>(weight[1]);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          const Vec<T, W> value = load<T, W>(from + i * W);
          upper[i] += up * value;
          lower[i] += low * value;
        }
      }
    }
    for (int i = 0; i < 4; ++i)
      for (int r = 0; r < 2; ++r) {
        T* const to = out + r * n_cols + column + i * W;
        const Vec<T, W> best = load<T, W>(to), sum = r == 0 ? upper[i] : lower[i];
        store<T, W>(to, best > sum ? best : sum);
      }
  }
}

// For images of few nonzero values: each value is added to the sums that it contributes to. A sum
// gets the same products in the same order as above, without those that are zero, so its bits are
// the same.
template <class T>
void scatter_lines(const LineRows<T>& rows, Index first, Index last, const T* values,
                   const int32_t* columns, Index count, T* out, Index stride) {
  constexpr int W = native_width<T>;
  for (Index n = 0; n < count; ++n) {
    const Vec<T, W> value = broadcast<T, W>(values[n]);
    T* row = out + columns[n];
    for (Index i = first; i < last; ++i, row -= stride) {
      const T* weight = rows.weights + rows.offset[i];
      T* const to = row + rows.begin[i];
      for (Index k = 0; k < rows.count[i]; k += W)
        store<T, W>(to + k, load<T, W>(to + k) + load<T, W>(weight + k) * value);
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
