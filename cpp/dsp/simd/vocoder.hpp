// The phase vocoder (Flanagan and Golden 1966; Laroche and Dolson 1999) on directions: complex
// numbers of length one in the place of angles.
//
// Phases add by multiplication, so no angle is computed, wrapped or rounded: `advance` gives the
// phase of a row of bins the length between two frames and multiplies it by the turn from one to
// the other. Parts lie apart in memory (PolarRow), rows have room for whole vectors. In double;
// after any number of turns the length is held at one by a step of Newton's iteration, two
// multiplications a bin.
//
// A row of bins is a part of a frame, and the same part of the next frame is too far away for the
// processor to fetch unasked: waiting for it takes as long as the arithmetic. So each row that is
// read or written asks for the one `ahead`.
#pragma once

#include "dsp/simd/pairs.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {
namespace {

// 1 with the sign of each value.
[[gnu::always_inline]] inline auto sign_of(Vec<double, native_width<double>> v) {
  using Bits = Vec<int64_t, native_width<double>>;
  using D = Vec<double, native_width<double>>;
  return (D)(((Bits)v & (Bits{} + INT64_MIN)) | (Bits)(D{} + 1.0));
}

// 1 / sqrt of normal numbers, within 2 ulp. Where an instruction gives 14 bits, two steps of
// Newton's iteration take a third of the time of a root and a division.
[[gnu::always_inline]] inline auto inverse_root(Vec<double, native_width<double>> v) {
  using D = Vec<double, native_width<double>>;
#if defined(__AVX512F__)
  D y = (D)_mm512_rsqrt14_pd((__m512d)v);
  y *= 1.5 - 0.5 * v * y * y;
  y *= 1.5 - 0.5 * v * y * y;
  return y;
#else
  return D(1.0 / square_root(v));
#endif
}

// Asks for W pairs that will be read or, with `writes`, written.
template <bool writes, int W, class T>
[[gnu::always_inline]] inline void fetch(const T* pairs) {
  constexpr int line = 64 / sizeof(T);
  for (int k = 0; k < 2 * W; k += line) __builtin_prefetch(pairs + k, writes, 3);
}

// Length and direction of each of n complex numbers. The direction of zero is 0 or pi, by the signs
// of its parts, as atan2 has it.
template <class T>
void polar(const T* pairs, Index n, Index ahead, PolarRow out) {
  constexpr int W = native_width<double>;
  using D = Vec<double, W>;
  const auto step = [=](const T* from, Index i) __attribute__((always_inline)) {
    const auto z = Pairs<T, W>::load_from(from);
    D re = converted<double, W>(z.re), im = converted<double, W>(z.im), scale = D{} + 1.0;
    if constexpr (sizeof(T) == 8) {
      scale = scale_of_squares(re, im);
      re *= scale;
      im *= scale;
    }
    const D square = re * re + im * im;
    const auto nothing = square == 0.0;
    const D inverse = inverse_root(nothing ? D{} + 1.0 : square);
    store<double, W>(out.re + i, nothing ? sign_of(re) : re * inverse);
    store<double, W>(out.im + i, im * inverse);
    store<double, W>(out.length + i, square * inverse / scale);
  };
  Index i = 0;
  for (; i + W <= n; i += W) {
    fetch<false, W>(pairs + ahead + 2 * i);
    step(pairs + 2 * i, i);
  }
  if (i == n) return;
  T rest[2 * W] = {};
  for (Index k = 0; k < 2 * (n - i); ++k) rest[k] = pairs[2 * i + k];
  step(rest, i);
}

// n pairs of the direction `phase` and a length between those of two frames, whose directions then
// turn `phase`, if it `turns`.
template <class T>
void advance(PolarRow from, PolarRow to, double weight, bool turns, Index n, PolarRow phase,
             Index ahead, T* out) {
  constexpr int W = native_width<double>;
  using D = Vec<double, W>;
  const auto step = [=](Index i, T * at) __attribute__((always_inline)) {
    const D low = load<double, W>(from.length + i), high = load<double, W>(to.length + i);
    const D length = low + (high - low) * weight;
    const D x = load<double, W>(phase.re + i), y = load<double, W>(phase.im + i);
    Pairs<T, W>{converted<T, W>(x * length), converted<T, W>(y * length)}.store_to(at);
    if (!turns) return;
    const D a = load<double, W>(from.re + i), b = load<double, W>(from.im + i);
    const D c = load<double, W>(to.re + i), d = load<double, W>(to.im + i);
    const D turn_re = c * a + d * b, turn_im = d * a - c * b;
    const D re = x * turn_re - y * turn_im, im = x * turn_im + y * turn_re;
    // A step of Newton's iteration for 1 / sqrt keeps the length at one over any number of turns.
    const D correction = 1.5 - 0.5 * (re * re + im * im);
    store<double, W>(phase.re + i, re * correction);
    store<double, W>(phase.im + i, im * correction);
  };
  Index i = 0;
  for (; i + W <= n; i += W) {
    fetch<true, W>(out + ahead + 2 * i);
    step(i, out + 2 * i);
  }
  if (i == n) return;
  T rest[2 * W];
  step(i, rest);
  for (Index k = 0; k < 2 * (n - i); ++k) out[2 * i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
