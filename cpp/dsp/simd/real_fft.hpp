// Windowed real transforms: 2 M real values as M complex ones (even samples real, odd imaginary),
// and the split of their spectrum into that of the real signal, as powers or as complex bins.
//
// With Z the transform of the pairs, E = Z[k] + conj Z[M - k] is that of the even and O = -i (Z[k]
// - conj Z[M - k]) that of the odd samples (times two: the window carries the half), and X[k] = E +
// w^k O. Bins k and M - k come from the same two values, so both are made at once: a vector of low
// bins in rising and one of high bins in falling order. The slots are in digit-reversed order
// (passes.hpp); the split reads a slot for each block of W bins from a table, which is all the
// reordering there is.
//
// Powers are squared in S, the type of the result, from parts rounded to it, as the reference
// squares.
#pragma once

#include "dsp/simd/passes.hpp"

namespace metalmom::dsp::simd {
namespace {

// Transforms samples * window. The window carries the factor 1/2 of the split.
template <class T, int W, Index points, class S>
[[gnu::always_inline]] inline void windowed_transform(const T* table, const S* samples,
                                                      const T* window, T* slots) {
  const auto read = [=](Index n) -> Complex<Vec<T, W>> {
    auto a = load_as<T, W>(samples + 2 * n) * load<T, W>(window + 2 * n);
    auto b = load_as<T, W>(samples + 2 * n + W) * load<T, W>(window + 2 * n + W);
    deinterleave<T, W>(a, b);
    return {a, b};
  };
  transform<T, W, points>(table, read, slots);
}

// The values a .. a + W - 1 in falling order, from two vectors: one ends with a + W - 2, the next
// begins with a + W - 1. (The mirror image of a vector of bins does not lie in one slot.)
template <class T, int W>
[[gnu::always_inline]] inline Vec<T, W> mirrored(Vec<T, W> below, Vec<T, W> above) {
  return pick<W>(below, above, [](int l) { return W - l; });
}

// Calls visit(k, X[k .. k + W - 1], X[M - k], X[M - k - 1] ...) for k = 0, W .. below M / 2:
// X[k] = E + w^k O, X[M - k] = conj(E - w^k O) with E, O the transforms of even and odd samples.
template <class T, int W, Index points, class Visit>
[[gnu::always_inline]] inline void split_bins(const T* table, const T* slots, const Visit& visit) {
  using V = Vec<T, W>;
  constexpr Index split = fft_plan(points, W).split;
  constexpr Index n_blocks = points / W;
  const auto block = [=](Index b) {
    return load_slot<T, W>(slots + 2 * W * Index(block_slots<points, W>.slot[b]));
  };
  Complex<V> above = block(n_blocks);
  for (Index b = 0; b < n_blocks / 2; ++b) {
    const Complex<V> z = block(b), below = block(n_blocks - 1 - b);
    const V mre = mirrored<T, W>(below.re, above.re), mim = mirrored<T, W>(below.im, above.im);
    above = below;
    const T* root = table + split + b * W;
    const V wr = load<T, W>(root), wi = load<T, W>(root + points / 2);
    const Complex<V> even = {z.re + mre, z.im - mim};
    // E + w O by multiply-adds, and E - w O from it.
    const V ore = z.im + mim, oim = mre - z.re;
    const Complex<V> low = {even.re + ore * wr - oim * wi, even.im + ore * wi + oim * wr};
    visit(b * W, low, Complex<V>{2 * even.re - low.re, low.im - 2 * even.im});
  }
}

// Bin M / 2 is its own mirror image: X[M / 2] = 2 conj Z[M / 2].
template <class S, class T, int W, Index points>
[[gnu::always_inline]] inline Complex<S> middle_bin(const T* slots) {
  const T* slot = slots + 2 * W * Index(block_slots<points, W>.slot[points / W / 2]);
  return {S(2 * slot[0]), S(-2 * slot[W])};
}

template <class S, int W, class V>
[[gnu::always_inline]] inline Vec<S, W> squared(Complex<V> x) {
  const auto re = converted<S, W>(x.re), im = converted<S, W>(x.im);
  return re * re + im * im;
}

// |X|^2 of one frame, M + 1 values.
template <class T, int W, Index points, class S>
void power_spectrum(const T* table, const S* samples, const T* window, T* slots, S* power) {
  windowed_transform<T, W, points>(table, samples, window, slots);
  split_bins<T, W, points>(table, slots, [=](Index k, auto low, auto high) {
    store<S, W>(power + k, squared<S, W>(low));
    store<S, W>(power + points - W + 1 - k, reversed<S, W>(squared<S, W>(high)));
  });
  const auto middle = middle_bin<S, T, W, points>(slots);
  power[points / 2] = middle.re * middle.re + middle.im * middle.im;
}

// Complex bins of one frame, M + 1 pairs (re, im).
template <class T, int W, Index points, class S>
void complex_spectrum(const T* table, const S* samples, const T* window, T* slots, S* bins) {
  using U = Vec<S, W>;
  windowed_transform<T, W, points>(table, samples, window, slots);
  const auto store_pairs = [](S* out, U re, U im) {
    interleave<S, W>(re, im);
    store<S, W>(out, re);
    store<S, W>(out + W, im);
  };
  split_bins<T, W, points>(table, slots, [=](Index k, auto low, auto high) {
    store_pairs(bins + 2 * k, converted<S, W>(low.re), converted<S, W>(low.im));
    store_pairs(bins + 2 * (points - W + 1 - k), reversed<S, W>(converted<S, W>(high.re)),
                reversed<S, W>(converted<S, W>(high.im)));
  });
  const auto middle = middle_bin<S, T, W, points>(slots);
  bins[points] = middle.re;
  bins[points + 1] = middle.im;
}

}  // namespace
}  // namespace metalmom::dsp::simd
