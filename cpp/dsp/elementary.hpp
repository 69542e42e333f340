// Logarithms and exponentials without branches or tables, so that loops over them vectorise.
// Series as in Muller, Elementary Functions, 2nd ed., section 11.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace metalmom::dsp {

// Natural logarithm of positive normal doubles, within 3 ulp; infinity passes through, and what is
// not positive (or NaN) gives NaN.
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t shifted = bits - 0x3fe6a09e00000000u;  // about sqrt(1/2)
  const std::uint64_t exponent_bits = shifted & 0xfff0000000000000u;
  const double m = std::bit_cast<double>(bits - exponent_bits);
  // The biased exponent as a double without a 64-bit conversion: 2^52 + 2048 + e, minus the rest.
  const double e = std::bit_cast<double>(((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) -
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
  const double outside = x > 0 ? x : std::numeric_limits<double>::quiet_NaN();
  return x > 0 && x < std::numeric_limits<double>::infinity() ? result : outside;
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
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return p * std::bit_cast<double>(power);
}

}  // namespace metalmom::dsp
