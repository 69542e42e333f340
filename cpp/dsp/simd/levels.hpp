// Levels in decibels: 10 log10 of powers, or of squared amplitudes, and the largest of them.
//
// Value by value, in vectors of floats; the rest of an array goes through the same arithmetic in a
// vector that is filled up with its own first value, which changes no maximum. libm's logarithm is
// a call a value and took longer than the transform. The maximum is found in the same pass, since
// top_db needs it.
//
// Floats suffice: a level is within 4 ulp of itself, 0.5e-6 dB near 0 dB. The series is that of the
// logarithm around one, so levels near the reference lose no digits. NaN and infinity pass through,
// as they do in NumPy.
#pragma once

#include "base/index.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// log10 of positive normal floats. x = m 2^e with m in [2/3, 4/3), and ln(m) as the
// odd series of s = (m - 1) / (m + 1) (Muller, Elementary Functions, 2nd ed., section 11).
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
  // 2 atanh(s) / ln(10), coefficients 2 / ((2k + 1) ln 10).
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

// Lane by lane the larger of two; NaN is larger than anything.
template <int W>
[[gnu::always_inline]] inline Vec<float, W> larger(Vec<float, W> best, Vec<float, W> value) {
  const auto keep = best >= value;
  const auto stays_nan = best != best;
  return (keep | stays_nan) ? best : value;
}

// out = 10 log10(max(amin, in or in^2) / ref), amin and ref normal numbers; returns the largest, NaN
// if there is one. It is a difference of logarithms of one kernel, times 10: what equals ref is at 0
// exactly, which it is not where a product is fused with the difference.
float levels(const float* in, Index count, float amin, float ref, bool amplitude, float* out) {
  constexpr int W = native_width<float>;
  using V = Vec<float, W>;
  const V log_ref = log10_of<W>(V{} + ref);
  const auto level_of = [=](V x) __attribute__((always_inline)) {
    const V power = amplitude ? x * x : x;
    const V raised = power < amin ? V{} + amin : power;  // a NaN fails the comparison and stays
    return 10.0f * (log10_of<W>(raised) - log_ref);
  };
  V best = V{} - __builtin_inff();
  Index i = 0;
  for (; i + W <= count; i += W) {
    const V level = level_of(load<float, W>(in + i));
    store<float, W>(out + i, level);
    best = larger<W>(best, level);
  }
  if (i < count) {
    // The rest of the values, with the first of them in the unused lanes.
    float rest[W];
    for (Index k = 0; k < W; ++k) rest[k] = in[i + k < count ? i + k : i];
    const V level = level_of(load<float, W>(rest));
    best = larger<W>(best, level);
    store<float, W>(rest, level);
    for (Index k = 0; i + k < count; ++k) out[i + k] = rest[k];
  }
  float largest = best[0];
  for (int lane = 1; lane < W; ++lane)
    if (!(largest >= best[lane]) && largest == largest) largest = best[lane];
  return largest;
}

}  // namespace
}  // namespace metalmom::dsp::simd
