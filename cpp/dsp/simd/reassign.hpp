// Reassigned frequencies and times of a spectrum's bins (Auger and Flandrin 1995): a bin's energy
// moves to the centre of gravity that its phase tells.
//
// Pairs (re, im) of two transforms of the same frame, with the window and with its derivative (or
// ramp), bin by bin. The shift is a part of their ratio, weighted * conj(spectrum) / |spectrum|^2:
// one division, no angles. In double: the ratio of two small numbers says where energy lies, and
// bins near the threshold of power are kept or dropped by a comparison.
#pragma once

#include "dsp/simd/pairs.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
void reassign(const T* spectrum, const T* weighted, Index n, const Reassignment& by, double* out) {
  constexpr int W = native_width<double>;
  using D = Vec<double, W>;
  D number;
  for (int lane = 0; lane < W; ++lane) number[lane] = lane;
  const auto step = [&](const T* s, const T* w, Index i, double* to)
      __attribute__((always_inline)) {
    const auto z = Pairs<T, W>::load_from(s), v = Pairs<T, W>::load_from(w);
    D a = converted<double, W>(z.re), b = converted<double, W>(z.im);
    D c = converted<double, W>(v.re), d = converted<double, W>(v.im);
    D least = D{} + by.least_power;
    if constexpr (sizeof(T) == 8) {
      const D scale = scale_of_squares(a, b);
      a *= scale, b *= scale, c *= scale, d *= scale;
      least = least * scale * scale;
    }
    const D power = a * a + b * b;
    const D ratio = (by.imaginary ? d * a - c * b : c * a + d * b) / power;
    const D centre = by.first + by.spacing * (number + double(i));
    D value = centre + by.factor * ratio;
    // Not "power < least": so NaN has no place either.
    const auto placed = (power >= least) & (power > 0);
    value = placed ? value : by.fill ? centre : D{} + __builtin_nan("");
    value = value < by.low ? D{} + by.low : value;
    value = value > by.high ? D{} + by.high : value;
    store<double, W>(to, value);
  };
  Index i = 0;
  for (; i + W <= n; i += W) step(spectrum + 2 * i, weighted + 2 * i, i, out + i);
  if (i == n) return;
  T s[2 * W] = {}, w[2 * W] = {};
  double rest[W];
  for (Index k = 0; k < 2 * (n - i); ++k) s[k] = spectrum[2 * i + k], w[k] = weighted[2 * i + k];
  step(s, w, i, rest);
  for (Index k = 0; i + k < n; ++k) out[i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
