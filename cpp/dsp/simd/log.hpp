// Logarithms, written out because those of libm are a call a value, which takes longer than a
// transform: a polynomial after a reduction that takes the exponent's bits (Muller, Elementary
// Functions, 2nd ed., section 11).
//
// With x = m 2^e, ln(m) = 2 atanh(s) is the odd series of s = (m - 1) / (m + 1). It is that of the
// logarithm around one, so that values near one lose no digits.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Coefficients of rising powers that interpolate at the Chebyshev nodes of the interval. They stay
// within 2e-17 of the function and need three terms less than a Taylor series.
constexpr double atanh_series[] = {  // (2 atanh(s) / s - 2) / s^2 in s^2, |s| < 0.1716
    0.666666666666667,   0.39999999999899444, 0.2857142862600231, 0.22222211130391728,
    0.18182889446725597, 0.15331710916664001, 0.14616581563059006};

template <class V, int n>
[[gnu::always_inline]] inline V polynomial(const double (&coefficients)[n], V x) {
  V p = V{} + coefficients[n - 1];
#pragma GCC unroll 16
  for (int k = n - 2; k >= 0; --k) p = p * x + coefficients[k];
  return p;
}

// log10 of positive normal floats, with m in [2/3, 4/3). NaN and infinity pass through, as they do
// in NumPy.
template <int W>
[[gnu::always_inline]] inline Vec<float, W> log10_of(Vec<float, W> x) {
  using V = Vec<float, W>;
  using U = Vec<unsigned, W>;
  using I = Vec<int, W>;
  const U bits = (U)x;
  const I exponent = (I)(bits - 0x3f2aaaabu) >> 23;  // the bits of 2/3 become exponent 0
  const V m = (V)(bits - ((U)exponent << 23));
  const V e = __builtin_convertvector(exponent, V);
  const V s = (m - 1.0f) / (m + 1.0f);
  const V s2 = s * s;
  V p = V{} + 0.0668136f;  // 2 atanh(s) / ln(10), with coefficients 2 / ((2k + 1) ln 10)
  p = p * s2 + 0.0789615f;
  p = p * s2 + 0.0965085f;
  p = p * s2 + 0.12408412f;
  p = p * s2 + 0.17371779f;
  p = p * s2 + 0.28952965f;
  const V tail = s * s2 * p + e * 4.6050390e-06f;  // the low part of log10(2)
  const V head = s * 0.86858896f;
  const V result = e * 0.30102539f + (head + tail);
  return x < __builtin_inff() ? result : x;
}

// x = m 2^e with m within about [sqrt(1/2), sqrt(2)), and s = (m - 1) / (m + 1).
template <class V>
struct Reduced {
  V e, s;
};

template <int W>
[[gnu::always_inline]] inline Reduced<Vec<double, W>> reduced(Vec<double, W> x) {
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  const Bits bits = (Bits)x;
  const Bits exponent_bits = (bits - 0x3fe6a09e00000000u) & 0xfff0000000000000u;
  const V m = (V)(bits - exponent_bits);
  // The exponent as a double without a 64-bit conversion: its biased bits are put into the mantissa
  // of 2^52, and 2^52 and the bias are subtracted.
  const V e = (V)(((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) - (0x1p52 + 2048.0);
  return {e, (m - 1.0) / (m + 1.0)};
}

// Natural logarithm of positive normal doubles, within 3 ulp; infinity passes through, and what is
// not positive (or NaN) gives NaN.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> log_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  const auto [e, s] = reduced<W>(x);
  const V z = s * s;
  // ln 2 in two parts: the first times e is exact.
  const V tail = s * z * polynomial(atanh_series, z) + e * 0x1.a39ef35793c76p-33;
  const V result = e * 0x1.62e42fee00000p-1 + (2.0 * s + tail);
  const V outside = x > 0.0 ? x : V{} + __builtin_nan("");
  return ((x > 0.0) & (x < __builtin_inf())) ? result : outside;
}

// log10 of positive normal doubles, within 2 ulp. NaN and infinity pass through.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> log10_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  const auto [e, s] = reduced<W>(x);
  const V z = s * s;
  // 1 / ln 10 and log10(2) in two parts each: the first of log10(2) times e is exact.
  const V tail = s * z * polynomial(atanh_series, z) * 0x1.bcb7b1526e50ep-2 +
                 (s * 0x1.95355baaafad3p-56 + e * 0x1.ef3fde623e256p-35);
  const V result = e * 0x1.3441350900000p-2 + (s * 0x1.bcb7b1526e50ep-1 + tail);
  return x < __builtin_inf() ? result : x;
}

}  // namespace
}  // namespace metalmom::dsp::simd
