// Mu-law companding (ITU-T G.711's curve, continuous) of values in [-1, 1]: to levels, to codes,
// and back to values.
//
// Value by value, in vectors of doubles whatever T; the last vector is filled up with zeros, so
// that every value goes through the same arithmetic. The logarithm and the exponential are written
// out here because those of libm are calls a value: log(1 + z) by exponent and the series of
// artanh, exp(x) - 1 by reduction and the Taylor series (Muller, Elementary Functions, 2nd ed.,
// sections 11 and 4). Both keep their accuracy near zero, where companding has most of its codes.
//
// A code is how many edges lie below a level. The edges are evenly spaced, so it is computed, and
// the two edges around it then decide: exact even where rounding would put a level on the wrong
// side. Of many values few lie that close to an edge: the code of all others is plain from a level
// in single precision, which takes a third of the time.
#pragma once

#include "dsp/simd/tonal.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

constexpr int companded = native_width<double>;
using Values = Vec<double, companded>;
using Codes = Vec<int64_t, companded>;

// log(1 + z) of z >= 0 within 2 ulp: the logarithm of 2 times the exponent, and the series of
// artanh for the rest in [sqrt(1/2), sqrt(2)).
[[gnu::always_inline]] inline Values log_of_one_plus(Values z) {
  const Values u = 1.0 + z;
  const Values lost = (z - (u - 1.0)) / u;  // what the rounding of 1 + z lost of z
  // moves sqrt(1/2) to 0, so that the rest is within [sqrt(1/2), sqrt(2))
  const Codes bits = (Codes)u - 0x3fe6a09e667f3bcdLL;
  const Codes exponent = bits >> 52;
  const Values m = (Values)((bits & 0x000fffffffffffffLL) + 0x3fe6a09e667f3bcdLL);
  const Values s = (m - 1.0) / (m + 1.0), q = s * s;
  Values sum = Values{} + 1.0 / 21;
  sum = sum * q + 1.0 / 19;
  sum = sum * q + 1.0 / 17;
  sum = sum * q + 1.0 / 15;
  sum = sum * q + 1.0 / 13;
  sum = sum * q + 1.0 / 11;
  sum = sum * q + 1.0 / 9;
  sum = sum * q + 1.0 / 7;
  sum = sum * q + 1.0 / 5;
  sum = sum * q + 1.0 / 3;
  const Values twos = __builtin_convertvector(exponent, Values);
  return twos * 0.693147180559945309417 + (2.0 * s + (2.0 * s * q * sum + lost));
}

// exp(x) - 1 of 0 <= x <= 700, to an error of 2 ulp of exp(x).
[[gnu::always_inline]] inline Values exp_less_one(Values x) {
  constexpr double shifter = 0x1.8p52;
  const Values shifted = x * 1.44269504088896340736 + shifter;
  const Values n = shifted - shifter;
  const Values r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  Values sum = Values{} + 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r * r + r;
  const Values power = (Values)(((Codes)shifted << 52) + 0x3ff0000000000000LL);
  return power * sum + (power - 1.0);
}

// Calls `step` for vectors of the n values; a last, incomplete vector is filled up with zeros.
template <class T, class Out, class Step>
[[gnu::always_inline]] inline void each_vector(const T* x, Index n, Out* out, const Step& step) {
  constexpr int W = companded;
  Index i = 0;
  for (; i + W <= n; i += W) store<Out, W>(out + i, step(load<T, W>(x + i)));
  if (i == n) return;
  Vec<T, W> rest = {};
  for (Index k = 0; i + k < n; ++k) rest[k] = x[i + k];
  const auto last = step(rest);
  for (Index k = 0; i + k < n; ++k) out[i + k] = last[k];
}

[[gnu::always_inline]] inline Values size_of(Values v) {
  return v < 0 ? -v : v;
}

// The logarithm is rounded to T as librosa rounds it. At full scale it must equal `scale` to the
// last bit, since that decides the code.
template <class T>
[[gnu::always_inline]] inline Values compressed(Vec<T, companded> x, T mu, double scale) {
  constexpr int W = companded;
  const Values size = converted<double, W>((x < 0 ? -x : x) * mu);
  const Values log = size == double(mu) ? Values{} + scale : log_of_one_plus(size);
  const Values level = converted<double, W>(converted<T, W>(log)) / scale;
  return converted<double, W>(x) < 0 ? -level : level;
}

template <class T>
void mu_compress(const T* x, Index n, T mu, double scale, double* out) {
  each_vector(
      x, n, out, [&](Vec<T, companded> v) __attribute__((always_inline)) {
        return compressed<T>(v, mu, scale);
      });
}

// A code is the number of edges below a level, less `offset`. There are n >= 2 edges, ascending and
// evenly spaced from -1 to 1.
struct Edges {
  const double* at;
  Index n, offset;
};

template <class T>
[[gnu::noinline]] void quantize_exactly(const T* x, Index n, T mu, double scale, const Edges& edges,
                                        Index* out) {
  const double per_level = double(edges.n - 1) / 2;
  each_vector(
      x, n, out, [&](Vec<T, companded> v) __attribute__((always_inline)) {
        const Values level = compressed<T>(v, mu, scale);
        const Codes guess = __builtin_convertvector(Values((level + 1.0) * per_level), Codes);
        Values edge, before;
        Codes at;
        for (int lane = 0; lane < companded; ++lane) {
          const Index near = guess[lane] < 1         ? 1
                             : guess[lane] < edges.n ? guess[lane]
                                                     : edges.n - 1;
          at[lane] = near - edges.offset;
          edge[lane] = edges.at[near];
          before[lane] = edges.at[near - 1];
        }
        // A comparison gives -1 in the lanes where it holds.
        return Codes(at - (edge < level) + (before >= level));
      });
}

constexpr int guessed = native_width<float>;
using Guess = Vec<float, guessed>;
using Steps = Vec<int32_t, guessed>;

// log(1 + z) of z >= 0 in single precision, to an error of 3e-7 (relative to it where it is above
// 1).
[[gnu::always_inline]] inline Guess roughly_log_of_one_plus(Guess z) {
  const Steps bits = (Steps)(1.0f + z) - 0x3f3504f3;  // as above
  const Guess m = (Guess)((bits & 0x007fffff) + 0x3f3504f3);
  const Guess s = (m - 1.0f) / (m + 1.0f), q = s * s;
  const Guess sum = 2.0f + q * (2.0f / 3 + q * (2.0f / 5 + q * (2.0f / 7 + q * (2.0f / 9))));
  return __builtin_convertvector(Steps(bits >> 23), Guess) * 0.693147181f + s * sum;
}

template <class T>
void mu_quantize(const T* x, Index n, T mu, double scale, const double* edge, Index n_edges,
                 Index offset, Index* out) {
  const Edges edges{edge, n_edges, offset};
  // Bound of the error of a place between edges: 16 roundings of the largest code. With more codes
  // than 4096 too many levels would lie that close to an edge.
  const float error = float(n_edges) * 0x1p-20f;
  if (n_edges > 4096) return quantize_exactly(x, n, mu, scale, edges, out);
  const float middle = float(n_edges - 1) / 2, per_log = middle / float(scale);
  const int32_t above = int32_t(1 - offset);
  Index i = 0;
  for (; i + guessed <= n; i += guessed) {
    const Guess v = load_as<float, guessed>(x + i);
    const Guess size = v < 0 ? -v : v;
    const Guess log = roughly_log_of_one_plus(size * float(mu));
    const Guess place = middle + (v < 0 ? -log : log) * per_log;
    const Steps below = __builtin_convertvector(place, Steps);
    const Guess past = place - __builtin_convertvector(below, Guess);
    if (lane_bits((past < error) | (past > 1 - error)) != 0)
      quantize_exactly(x + i, guessed, mu, scale, edges, out + i);
    else
      store<Index, guessed>(out + i,
                            __builtin_convertvector(Steps(below + above), Vec<Index, guessed>));
  }
  quantize_exactly(x + i, n - i, mu, scale, edges, out + i);
}

template <class T>
void mu_expand(const T* x, Index n, double mu, double scale, T* out) {
  constexpr int W = companded;
  each_vector(
      x, n, out, [&](Vec<T, W> v) __attribute__((always_inline)) {
        const Values level = converted<double, W>(v);
        const Values size = exp_less_one(size_of(level) * scale) / mu;
        return converted<T, W>(Values(level < 0 ? -size : size));
      });
}

}  // namespace
}  // namespace metalmom::dsp::simd
