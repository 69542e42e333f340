// Logarithms and exponentials without branches or tables, so that loops over them vectorise.
// Series as in Muller, Elementary Functions, 2nd ed., section 11. Without functions of std, since
// kernel sources use them too (simd/kernels.cpp).
#pragma once

#include <stdint.h>

namespace metalmom::dsp {

// log10 of positive normal and denormal floats within 4 ulp (0.5e-6 dB at 0 dB); NaN and infinity
// pass through. x = m 2^e with m in [2/3, 4/3), ln(m) as the odd series of s = (m - 1) / (m + 1).
inline float log10_of(float x) {
  const bool tiny = x < 0x1p-126f;
  const float scaled = tiny ? x * 0x1p24f : x;
  const auto bits = __builtin_bit_cast(uint32_t, scaled);
  const uint32_t shifted = bits - 0x3f2aaaabu;  // 2/3
  const auto exponent = static_cast<int32_t>(shifted) >> 23;
  const float m = __builtin_bit_cast(float, bits - (static_cast<uint32_t>(exponent) << 23));
  const float e = static_cast<float>(exponent) - (tiny ? 24.0f : 0.0f);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float s2 = s * s;
  // 2 atanh(s) / ln(10), coefficients 2 / ((2k + 1) ln 10).
  float p = 0.0668136f;
  p = p * s2 + 0.0789615f;
  p = p * s2 + 0.0965085f;
  p = p * s2 + 0.12408412f;
  p = p * s2 + 0.17371779f;
  p = p * s2 + 0.28952965f;
  const float tail = s * s2 * p + e * 4.6050390e-06f;  // log10(2) minus the part below
  const float head = s * 0.86858896f;
  const float result = e * 0.30102539f + (head + tail);
  return x < __builtin_inff() ? result : x;
}

inline double log10_of(double x) {
  return __builtin_log10(x);
}

// Natural logarithm of positive normal doubles, within 3 ulp; infinity passes through, and what is
// not positive (or NaN) gives NaN.
inline double log_of(double x) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  const uint64_t shifted = bits - 0x3fe6a09e00000000u;  // about sqrt(1/2)
  const uint64_t exponent_bits = shifted & 0xfff0000000000000u;
  const double m = __builtin_bit_cast(double, bits - exponent_bits);
  // The biased exponent as a double without a 64-bit conversion: 2^52 + 2048 + e, minus the rest.
  const double e = __builtin_bit_cast(double, ((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) -
                   (0x1p52 + 2048.0);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  // ln 2 in two parts: the first times e is exact.
  const double result =
      e * 0x1.62e42fee00000p-1 + (2.0 * s + (s * z * p + e * 0x1.a39ef35793c76p-33));
  const double outside = x > 0 ? x : __builtin_nan("");
  return x > 0 && x < __builtin_inf() ? result : outside;
}

// e^x for |x| < 700, within 2 ulp.
inline double exp_of(double x) {
  constexpr double shifter = 0x1.8p52;
  const double shifted = x * 1.4426950408889634 + shifter;
  const double n = shifted - shifter;
  const double r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r * r + r + 1.0;
  const uint64_t power = (__builtin_bit_cast(uint64_t, shifted) + 1023) << 52;
  return p * __builtin_bit_cast(double, power);
}

}  // namespace metalmom::dsp
