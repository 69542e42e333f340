// Phases of the Griffin-Lim iteration (Griffin and Lim 1984; with momentum, Perraudin, Balazs and
// Sondergaard 2013): magnitudes with the phase of what was rebuilt, and random phases to begin
// with.
//
// Number by number over pairs (re, im); the last vector is filled up with zeros. A phase is never
// an angle: a complex number is divided by its length, which needs a root in place of atan2, sine
// and cosine. The random start does need sine and cosine, of turns in [0, 1]: reduced to an eighth
// of a turn, then Taylor series, within an ulp of T.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/pairs.hpp"

namespace metalmom::dsp::simd {
namespace {

// unit(x) * S for x = rebuilt - factor * previous, in double.
template <class T, int W>
[[gnu::always_inline]] inline Pairs<T, W> unit_times(Pairs<T, W> x, Vec<T, W> S) {
  using D = Vec<double, W>;
  constexpr double tiny = sizeof(T) == 4 ? double(__FLT_MIN__) : __DBL_MIN__;
  D re = converted<double, W>(x.re), im = converted<double, W>(x.im);
  D floor = D{} + tiny;
  if constexpr (sizeof(T) == 8) {
    const D scale = scale_of_squares(re, im);
    re *= scale;
    im *= scale;
    floor *= scale;
  }
  const D factor = converted<double, W>(S) / (square_root(re * re + im * im) + floor);
  return {converted<T, W>(re * factor), converted<T, W>(im * factor)};
}

template <class T>
void update_phases(const T* S, const T* rebuilt, const T* previous, T factor, Index n, T* out) {
  constexpr int W = native_width<double>;
  const auto step = [=](const T* s, const T* now, const T* before, T* to)
      __attribute__((always_inline)) {
    Pairs<T, W> x = Pairs<T, W>::load_from(now);
    const auto y = Pairs<T, W>::load_from(before);
    x.re -= factor * y.re;
    x.im -= factor * y.im;
    unit_times<T, W>(x, load<T, W>(s)).store_to(to);
  };
  Index i = 0;
  for (; i + W <= n; i += W) step(S + i, rebuilt + 2 * i, previous + 2 * i, out + 2 * i);
  if (i == n) return;
  T s[W] = {}, now[2 * W] = {}, before[2 * W] = {}, to[2 * W];
  for (Index k = 0; i + k < n; ++k) s[k] = S[i + k];
  for (Index k = 0; k < 2 * (n - i); ++k) {
    now[k] = rebuilt[2 * i + k];
    before[k] = previous[2 * i + k];
  }
  step(s, now, before, to);
  for (Index k = 0; k < 2 * (n - i); ++k) out[2 * i + k] = to[k];
}

// S exp(2 pi i turns) for turns in [0, 1]: the nearest quarter turn, and Taylor series within an
// eighth of a turn from it.
template <class T, int W>
[[gnu::always_inline]] inline Pairs<T, W> phasors_of(Vec<double, W> turns, Vec<T, W> S) {
  using D = Vec<double, W>;
  constexpr double shifter = 0x1.8p52, two_pi = 6.283185307179586477;
  const D shifted = turns * 4.0 + shifter;
  const D quarter = shifted - shifter;
  const D x = (turns - quarter * 0.25) * two_pi, z = x * x;
  D s = D{} - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  s = s * z * x + x;
  D c = D{} + 1.0 / 20922789888000.0;
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  c = c * z - 0.5;
  c = c * z + 1.0;
  const auto odd = (quarter == 1.0) | (quarter == 3.0);
  const auto behind = (quarter == 1.0) | (quarter == 2.0);  // lanes where the cosine is negative
  const auto below = (quarter == 2.0) | (quarter == 3.0);   // lanes where the sine is negative
  const D re = odd ? s : c, im = odd ? c : s;
  return {converted<T, W>(behind ? -re : re) * S, converted<T, W>(below ? -im : im) * S};
}

template <class T>
void phasors(const double* turns, const T* S, Index n, T* out) {
  constexpr int W = native_width<double>;
  Index i = 0;
  for (; i + W <= n; i += W)
    phasors_of<T, W>(load<double, W>(turns + i), load<T, W>(S + i)).store_to(out + 2 * i);
  if (i == n) return;
  Vec<double, W> angle = {};
  Vec<T, W> level = {};
  for (Index k = 0; i + k < n; ++k) angle[k] = turns[i + k], level[k] = S[i + k];
  T rest[2 * W];
  phasors_of<T, W>(angle, level).store_to(rest);
  for (Index k = 0; k < 2 * (n - i); ++k) out[2 * i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
