// The inverse of a windowed real transform: M + 1 complex bins to 2 M samples, times the window.
//
// A complex inverse is a forward one with real and imaginary parts exchanged before and after it,
// so it shares all passes (passes.hpp), and its table. First the bins of the real frame are merged
// to the M points of its pairs, which undoes real_fft.hpp's split: two mirrored vectors a step,
// each read once, while those of the next frame are fetched. The passes read what merge_bins wrote
// with the parts exchanged; the last step stores samples in order, looking up the slot of each
// block of W points, and multiplies by the window, which carries all factors.
#pragma once

#include "dsp/simd/real_fft.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T, int W, class S>
[[gnu::always_inline]] inline Complex<Vec<T, W>> load_pairs(const S* p) {
  auto re = load<S, W>(p), im = load<S, W>(p + W);
  deinterleave<S, W>(re, im);
  return {converted<T, W>(re), converted<T, W>(im)};
}

// Z[k] = E + i O with E = X[k] + conj X[M - k], O = w^-k (X[k] - conj X[M - k]), for k < M; all
// real parts, then all imaginary ones, room for M + W each. The factor 1/2 is in the window.
template <class T, int W, Index points, class S>
[[gnu::always_inline]] inline void merge_bins(const T* table, const S* bins, T* z) {
  using V = Vec<T, W>;
  constexpr Index split = fft_plan(points, W).split, apart = points + W;
  constexpr Index next = 2 * (points + 1), line = 64 / sizeof(S);
  for (Index k = 0; k < points / 2; k += W) {
    const Complex<V> x = load_pairs<T, W>(bins + 2 * k);
    const Index mirror = points - W + 1 - k;
    for (Index i = next; i < next + 2 * W; i += line) {
      __builtin_prefetch(bins + 2 * k + i);
      __builtin_prefetch(bins + 2 * mirror + i);
    }
    const Complex<V> m = load_pairs<T, W>(bins + 2 * mirror);
    const V mre = reversed<T, W>(m.re), mim = reversed<T, W>(m.im);
    const V wr = load<T, W>(table + split + k), wi = load<T, W>(table + split + points / 2 + k);
    const Complex<V> even = {x.re + mre, x.im - mim};
    const Complex<V> odd = times(Complex<V>{x.re - mre, x.im + mim}, wr, -wi);
    store<T, W>(z + k, even.re - odd.im);
    store<T, W>(z + apart + k, even.im + odd.re);
    // Z[M - k] = conj E + i conj O
    store<T, W>(z + mirror, reversed<T, W>(even.re + odd.im));
    store<T, W>(z + apart + mirror, reversed<T, W>(odd.re - even.im));
  }
  // Imaginary parts of the bins 0 and M are ignored: those of a real signal are zero.
  const T first = T(bins[0]), last = T(bins[2 * points]);
  z[0] = first + last;
  z[apart] = first - last;
  z[points / 2] = 2 * T(bins[points]);
  z[apart + points / 2] = -2 * T(bins[points + 1]);
}

// samples = window * inverse transform of M + 1 pairs (re, im); the window carries 1 / (2 M).
template <class T, int W, Index points, class S>
void inverse_spectrum(const T* table, const S* bins, const T* window, T* work, T* samples) {
  T* const z = work + 2 * points;
  merge_bins<T, W, points>(table, bins, z);
  const auto read = [=](Index n) -> Complex<Vec<T, W>> {
    return {load<T, W>(z + points + W + n), load<T, W>(z + n)};
  };
  transform<T, W, points>(table, read, work);
  for (Index block = 0; block < points / W; ++block) {
    auto x = load_slot<T, W>(work + 2 * W * Index(block_slots<points, W>.slot[block]));
    interleave<T, W>(x.im, x.re);
    const Index at = 2 * W * block;
    store<T, W>(samples + at, x.im * load<T, W>(window + at));
    store<T, W>(samples + at + W, x.re * load<T, W>(window + at + W));
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
