// Levels in decibels: 10 log10 of powers, or of squared amplitudes, and the largest of them.
//
// Value by value; the rest of an array goes through the same arithmetic in a vector that is filled
// up with its own first value, which changes no maximum. The maximum is found in the same pass,
// since top_db needs it. Levels of floats are computed in floats, which suffice: a level is within
// 4 ulp of itself, 0.5e-6 dB near 0 dB.
#pragma once

#include "base/index.hpp"
#include "dsp/simd/log.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Lane by lane the larger of two; NaN is larger than anything.
template <class V>
[[gnu::always_inline]] inline V larger_or_nan(V best, V value) {
  const auto keep = best >= value;
  const auto stays_nan = best != best;
  return (keep | stays_nan) ? best : value;
}

// out = 10 log10(max(amin, in or in^2) / ref), amin and ref normal numbers; returns the largest,
// NaN if there is one. It is a difference of logarithms of one kernel, times 10: what equals ref is
// at 0 exactly, which it is not where a product is fused with the difference.
template <class T>
T levels(const T* in, Index count, T amin, T ref, bool amplitude, T* out) {
  constexpr int W = native_width<T>;
  using V = Vec<T, W>;
  const V log_ref = log10_of<W>(V{} + ref);
  const auto level_of = [=](V x) __attribute__((always_inline)) {
    const V power = amplitude ? x * x : x;
    const V raised = power < amin ? V{} + amin : power;  // a NaN fails the comparison and stays
    return T(10) * (log10_of<W>(raised) - log_ref);
  };
  V best = V{} - T(__builtin_inff());
  Index i = 0;
  for (; i + W <= count; i += W) {
    const V level = level_of(load<T, W>(in + i));
    store<T, W>(out + i, level);
    best = larger_or_nan(best, level);
  }
  if (i < count) {
    // The rest of the values, with the first of them in the unused lanes.
    T rest[W];
    for (Index k = 0; k < W; ++k) rest[k] = in[i + k < count ? i + k : i];
    const V level = level_of(load<T, W>(rest));
    best = larger_or_nan(best, level);
    store<T, W>(rest, level);
    for (Index k = 0; i + k < count; ++k) out[i + k] = rest[k];
  }
  T largest = best[0];
  for (int lane = 1; lane < W; ++lane)
    if (!(largest >= best[lane]) && largest == largest) largest = best[lane];
  return largest;
}

}  // namespace
}  // namespace metalmom::dsp::simd
