// Weighted sums over a window that slides along a row: a convolution with a short kernel
// (smoothing, differences).
//
// Four vectors of neighbouring sums stay in registers over all weights, so that a weight is loaded
// once for all of them, and each sum runs over the weights in their order: what a value is does not
// depend on where the vectors begin. In double, from and to T.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// N vectors of neighbouring sums.
template <class T, int W, int N>
[[gnu::always_inline]] inline void sums_at(const T* x, const double* weights, Index n_weights,
                                           T* out) {
  Vec<double, W> sums[N] = {};
  for (Index k = 0; k < n_weights; ++k)
    for (int i = 0; i < N; ++i) sums[i] += weights[k] * load_as<double, W>(x + i * W + k);
  for (int i = 0; i < N; ++i) store<T, W>(out + i * W, converted<T, W>(sums[i]));
}

template <class T>
void sliding_sums(const T* x, const double* weights, Index n_weights, Index count, T* out) {
  constexpr int W = native_width<double>, N = 4;
  Index i = 0;
  for (; i + N * W <= count; i += N * W) sums_at<T, W, N>(x + i, weights, n_weights, out + i);
  for (; i + W <= count; i += W) sums_at<T, W, 1>(x + i, weights, n_weights, out + i);
  for (; i < count; ++i) sums_at<T, 1, 1>(x + i, weights, n_weights, out + i);
}

}  // namespace
}  // namespace metalmom::dsp::simd
