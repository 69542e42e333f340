// Forward DFTs of 4, 8 and 16 complex vectors in registers, in place, results in order.
//
// Each vector holds the same element of W transforms, so lanes never mix: the code reads as that of
// one scalar transform. Radix 4 needs additions alone (times -i is an exchange of parts). Radix 8
// is two of radix 4 and the roots of 1/8; radix 16 is 4 x 4: columns, 9 twiddles, rows, and a
// transposition that renames registers and moves nothing. Larger radices mean fewer passes over
// memory: 16 complex vectors fill the 32 registers of AVX-512; narrower sets spill some of them,
// which still costs less than another pass.
//
// Source: Cooley and Tukey 1965; Van Loan, Computational Frameworks for the FFT, 1992.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class V>
struct Complex {
  V re, im;
};

template <class V>
[[gnu::always_inline]] inline Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
[[gnu::always_inline]] inline Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>
[[gnu::always_inline]] inline Complex<V> times_minus_i(Complex<V> a) {
  return {a.im, -a.re};
}
template <class V, class W>
[[gnu::always_inline]] inline Complex<V> times(Complex<V> a, W re, W im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

template <class V>
[[gnu::always_inline]] inline void dft4(Complex<V>& a, Complex<V>& b, Complex<V>& c,
                                        Complex<V>& d) {
  const Complex<V> ac = a + c, a_c = a - c, bd = b + d, b_d = times_minus_i(b - d);
  a = ac + bd;
  b = a_c + b_d;
  c = ac - bd;
  d = a_c - b_d;
}

template <class T, class V>
[[gnu::always_inline]] inline void dft(Complex<V> (&x)[4]) {
  dft4(x[0], x[1], x[2], x[3]);
}

template <class T, class V>
[[gnu::always_inline]] inline void dft(Complex<V> (&x)[8]) {
  constexpr T h = T(0.70710678118654752440);
  dft4(x[0], x[2], x[4], x[6]);
  dft4(x[1], x[3], x[5], x[7]);
  const Complex<V> o1 = {(x[3].re + x[3].im) * h, (x[3].im - x[3].re) * h};
  const Complex<V> o2 = times_minus_i(x[5]);
  const Complex<V> o3 = {(x[7].im - x[7].re) * h, (x[7].re + x[7].im) * -h};
  const Complex<V> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6], o0 = x[1];
  x[0] = e0 + o0;
  x[1] = e1 + o1;
  x[2] = e2 + o2;
  x[3] = e3 + o3;
  x[4] = e0 - o0;
  x[5] = e1 - o1;
  x[6] = e2 - o2;
  x[7] = e3 - o3;
}

// 4 x 4: columns of stride 4, twiddles w^(j k) with w = exp(-2 pi i / 16), then rows.
template <class T, class V>
[[gnu::always_inline]] inline void dft(Complex<V> (&x)[16]) {
  constexpr T h = T(0.70710678118654752440);
  constexpr T c = T(0.92387953251128675613), s = T(0.38268343236508977173);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) dft4(x[j], x[j + 4], x[j + 8], x[j + 12]);
  x[5] = times(x[5], c, -s);
  x[6] = {(x[6].re + x[6].im) * h, (x[6].im - x[6].re) * h};
  x[7] = times(x[7], s, -c);
  x[9] = {(x[9].re + x[9].im) * h, (x[9].im - x[9].re) * h};
  x[10] = times_minus_i(x[10]);
  x[11] = {(x[11].im - x[11].re) * h, (x[11].re + x[11].im) * -h};
  x[13] = times(x[13], s, -c);
  x[14] = {(x[14].im - x[14].re) * h, (x[14].re + x[14].im) * -h};
  x[15] = times(x[15], -c, s);
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) dft4(x[4 * k], x[4 * k + 1], x[4 * k + 2], x[4 * k + 3]);
    // Row k holds bins k, k + 4, k + 8, k + 12: transpose.
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
#pragma GCC unroll 4
    for (int j = i + 1; j < 4; ++j) {
      const Complex<V> t = x[4 * i + j];
      x[4 * i + j] = x[4 * j + i];
      x[4 * j + i] = t;
    }
}

}  // namespace
}  // namespace metalmom::dsp::simd
