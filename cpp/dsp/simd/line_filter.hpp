// Convolution with kernels of which most is zero: lines across an image.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Two rows of output and four vectors of columns at once: a value that is loaded serves both rows,
// and a weight four vectors.
template <class T>
void filter_lines(const LineTaps<T>& taps, const T* in, Index in_stride, Index n_cols, T* out) {
  constexpr int W = native_width<T>;
  for (Index column = 0; column < n_cols; column += 4 * W) {
    Vec<T, W> upper[4] = {}, lower[4] = {};
    const T* weight = taps.weights;
    for (Index row = 0; row < taps.n_rows; ++row) {
      const T* from = in + row * in_stride + taps.first[row] + column;
      for (Index tap = 0; tap < taps.count[row]; ++tap, ++from, weight += 2) {
        const Vec<T, W> up = weight[0] + Vec<T, W>{}, low = weight[1] + Vec<T, W>{};
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

}  // namespace
}  // namespace metalmom::dsp::simd
