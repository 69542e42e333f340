// What harmonic-percussive separation makes of its medians: magnitudes before them, soft masks
// (Fitzgerald 2010; Driedger, Mueller and Disch 2014 for the margins) and the products of masks and
// complex spectra.
//
// Number by number over whole rows, in plain loops: they are short enough that the compiler makes
// the vectors. Magnitudes are taken in double, where squares of floats neither vanish nor overflow;
// doubles are scaled where theirs would.
// A mask is a^p / (a^p + b^p); both are divided by the larger first, so that no power of theirs
// leaves the range, and only p = 1 and 2 are here (other exponents go through pow, in
// dsp/hpss.cpp).
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/pairs.hpp"

namespace metalmom::dsp::simd {
namespace {

// The length of complex numbers.
template <class T>
void magnitudes(const T* pairs, Index n, T* out) {
  for (Index i = 0; i < n; ++i) {
    double re = pairs[2 * i], im = pairs[2 * i + 1], scale = 1;
    if constexpr (sizeof(T) == 8) {
      scale = scale_of_squares(re, im);
      re *= scale;
      im *= scale;
    }
    out[i] = T(__builtin_sqrt(re * re + im * im) / scale);
  }
}

template <class T, bool squared>
[[gnu::always_inline]] inline T mask_of(T x, T other, T silent) {
  constexpr T tiny = sizeof(T) == 4 ? T(__FLT_MIN__) : T(__DBL_MIN__);
  const T most = x > other ? x : other;
  const T scale = T(1) / (most < tiny ? T(1) : most);
  T a = x * scale, b = other * scale;
  if constexpr (squared) {
    a *= a;
    b *= b;
  }
  return most < tiny ? silent : a / (a + b);
}

template <class T, bool squared>
[[gnu::always_inline]] inline void masks_of(const T* __restrict a, const T* __restrict b, Index n,
                                            T margin_a, T margin_b, T silent, T* __restrict mask_a,
                                            T* __restrict mask_b) {
  for (Index i = 0; i < n; ++i) {
    mask_a[i] = mask_of<T, squared>(a[i], b[i] * margin_a, silent);
    mask_b[i] = mask_of<T, squared>(b[i], a[i] * margin_b, silent);
  }
}

template <class T>
void soft_masks(const T* a, const T* b, Index n, T margin_a, T margin_b, T silent, bool squared,
                T* mask_a, T* mask_b) {
  if (squared)
    masks_of<T, true>(a, b, n, margin_a, margin_b, silent, mask_a, mask_b);
  else
    masks_of<T, false>(a, b, n, margin_a, margin_b, silent, mask_a, mask_b);
}

template <class T>
void scale_pairs(const T* __restrict pairs, const T* __restrict factors, Index n,
                 T* __restrict out) {
  for (Index i = 0; i < n; ++i) {
    out[2 * i] = pairs[2 * i] * factors[i];
    out[2 * i + 1] = pairs[2 * i + 1] * factors[i];
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
