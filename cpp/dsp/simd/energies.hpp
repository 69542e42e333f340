// Gain control of energies (pcen): logarithms and exponentials in vectors, in double.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Natural logarithm of positive normal doubles, within 3 ulp, as the odd series of (m - 1) / (m +
// 1) (Muller, Elementary Functions, 2nd ed., section 11); infinity passes through, and what is not
// positive (or NaN) gives NaN.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> log_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  const Bits bits = (Bits)x;
  // From about sqrt(1/2) on, so that m is near 1.
  const Bits exponent_bits = (bits - 0x3fe6a09e00000000u) & 0xfff0000000000000u;
  const V m = (V)(bits - exponent_bits);
  // The biased exponent as a double without a 64-bit conversion: 2^52 + 2048 + e, minus the rest.
  const V e = (V)(((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) - (0x1p52 + 2048.0);
  const V s = (m - 1.0) / (m + 1.0);
  const V z = s * s;
  V p = V{} + 2.0 / 21;
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
  const V result = e * 0x1.62e42fee00000p-1 + (2.0 * s + (s * z * p + e * 0x1.a39ef35793c76p-33));
  const V outside = x > 0.0 ? x : V{} + __builtin_nan("");
  return ((x > 0.0) & (x < __builtin_inf())) ? result : outside;
}

// e^x for |x| < 700, within 2 ulp.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> exp_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  constexpr double shifter = 0x1.8p52;
  const V shifted = x * 1.4426950408889634 + shifter;
  const V n = shifted - shifter;
  const V r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  V p = V{} + 1.0 / 6227020800.0;
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
  return p * (V)(((Bits)shifted + 1023) << 52);
}

// out = S / (eps + smoothed)^gain, then, with a bias, sqrt(out + bias) - sqrt(bias) without the
// cancellation. `out` may be `smoothed`.
template <class T>
void gain_control(const T* S, const double* smoothed, Index count, double gain, double eps,
                  double bias, double* out) {
  constexpr int W = native_width<double>;
  using V = Vec<double, W>;
  const double root = __builtin_sqrt(bias), per_bias = bias > 0 ? 1 / bias : 0;
  const auto energies = [=](V energy, V level) __attribute__((always_inline)) {
    const V gained = energy * exp_of<W>(-gain * log_of<W>(level + eps));
    if (bias == 0) return gained;
    const V ratio = gained * per_bias;
    return root * (ratio / (square_root(ratio + 1.0) + 1.0));
  };
  Index i = 0;
  for (; i + W <= count; i += W)
    store<double, W>(out + i, energies(load_as<double, W>(S + i), load<double, W>(smoothed + i)));
  if (i == count) return;
  V energy = {}, level = {};
  for (Index k = 0; i + k < count; ++k) energy[k] = S[i + k], level[k] = smoothed[i + k];
  const V rest = energies(energy, level);
  for (Index k = 0; i + k < count; ++k) out[i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
