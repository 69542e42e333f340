// Gain control of energies (pcen; Wang et al. 2017, "Trainable frontend for robust and far-field
// keyword spotting"): S / (eps + M)^gain, then the root with a bias.
//
// Value by value, in vectors of doubles: M is a smoothed energy that covers many decades, and its
// power is exp(-gain log(eps + M)). Logarithm and exponential are written out because those of libm
// are calls a value; each is a polynomial after a reduction that takes the exponent's bits (Muller,
// Elementary Functions, 2nd ed., section 11). The root's difference sqrt(x + b) - sqrt(b) is
// computed as b^(1/2) r / (sqrt(r + 1) + 1) with r = x / b: near silence the two roots agree in
// most digits, and their difference would be noise.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Coefficients of rising powers that interpolate at the Chebyshev nodes of the interval. They stay
// within 2e-17 of the function and need three terms less than a Taylor series.
constexpr double atanh_series[] = {  // (2 atanh(s) / s - 2) / s^2 in s^2, |s| < 0.1716
    0.666666666666667,   0.39999999999899444, 0.2857142862600231, 0.22222211130391728,
    0.18182889446725597, 0.15331710916664001, 0.14616581563059006};
constexpr double exp_series[] = {  // (e^r - 1 - r) / r^2 in r, |r| < 0.3466
    0.5000000000000001,     0.16666666666666669,    0.04166666666662412,   0.00833333333332995,
    0.0013888888917214027,  0.00019841269863383562, 2.480152129687312e-05, 2.755726808932256e-06,
    2.7620087561653225e-07, 2.510052611094429e-08};

template <class V, int n>
[[gnu::always_inline]] inline V polynomial(const double (&coefficients)[n], V x) {
  V p = V{} + coefficients[n - 1];
#pragma GCC unroll 16
  for (int k = n - 2; k >= 0; --k) p = p * x + coefficients[k];
  return p;
}

// Natural logarithm of positive normal doubles, within 3 ulp, as the odd series of (m - 1) / (m +
// 1) (Muller, Elementary Functions, 2nd ed., section 11); infinity passes through, and what is not
// positive (or NaN) gives NaN.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> log_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  const Bits bits = (Bits)x;
  // Splits so that m is within about [sqrt(1/2), sqrt(2)).
  const Bits exponent_bits = (bits - 0x3fe6a09e00000000u) & 0xfff0000000000000u;
  const V m = (V)(bits - exponent_bits);
  // The exponent as a double without a 64-bit conversion: its biased bits are put into the mantissa
  // of 2^52, and 2^52 and the bias are subtracted.
  const V e = (V)(((exponent_bits >> 52) ^ 0x800u) | 0x4330000000000000u) - (0x1p52 + 2048.0);
  const V s = (m - 1.0) / (m + 1.0);
  const V z = s * s;
  // ln 2 in two parts: the first times e is exact.
  const V tail = s * z * polynomial(atanh_series, z) + e * 0x1.a39ef35793c76p-33;
  const V result = e * 0x1.62e42fee00000p-1 + (2.0 * s + tail);
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
  const V p = polynomial(exp_series, r) * r * r + r + 1.0;
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
