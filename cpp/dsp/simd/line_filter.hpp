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

// Adds what M values of one row of the image contribute, which lie within line_reach columns: each
// vector of sums is loaded and stored once for all of them, on its own alignment. What the weights
// lack there are the zeros around their rows.
template <class T, int M>
void scatter_group(const LineRows<T>& rows, Index first, Index last, const T* values,
                   const int32_t* columns, T* out, Index stride) {
  constexpr int W = native_width<T>;
  Vec<T, W> value[M];
  Index before[M];  // of the first value
#pragma GCC unroll 8
  for (int k = 0; k < M; ++k) {
    value[k] = broadcast<T, W>(values[k]);
    before[k] = columns[0] - columns[k];
  }
  T* row = out + columns[0];
  for (Index i = first; i < last; ++i, row -= stride) {
    if (rows.count[i] == 0) continue;
    T* const to = row + rows.begin[i];
    const Index ahead = Index((uintptr_t)to / sizeof(T) % W);
    const T* const weight = rows.weights + rows.offset[i];
    for (Index x = -ahead; x < rows.count[i] - before[M - 1]; x += W) {
      Vec<T, W> sum = load<T, W>(to + x);
#pragma GCC unroll 8
      for (int k = 0; k < M; ++k) sum += load<T, W>(weight + x + before[k]) * value[k];
      store<T, W>(to + x, sum);
    }
  }
}

template <class T>
struct ScatterGroups {
  decltype(&scatter_group<T, 1>) of_size[line_reach];
};
template <class T, int... I>
constexpr ScatterGroups<T> scatter_groups(Lanes<I...>) {
  return {{scatter_group<T, I + 1>...}};
}

// For images of few nonzero values: each value is added to the sums that it contributes to. A sum
// gets the same products in the same order as above, and beside them products with zero, so its
// bits are the same.
template <class T>
void scatter_lines(const LineRows<T>& rows, Index first, Index last, const T* values,
                   const int32_t* columns, Index count, T* out, Index stride) {
  static constexpr auto add = scatter_groups<T>(FirstLanes<line_reach>{});
  for (Index n = 0, size; n < count; n += size) {
    for (size = 1; n + size < count && columns[n + size] - columns[n] < line_reach;) ++size;
    add.of_size[size - 1](rows, first, last, values + n, columns + n, out, stride);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
