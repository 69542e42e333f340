// Transforms of blocks of L real samples for products of polynomials modulo z^L + i: the product of
// two blocks, 2 L samples, comes back whole, its first half as real and its second as imaginary
// part. So neither block is padded with zeros, nothing is split into spectra of real signals, and
// there is no bin at half the rate ("right-angle circular convolution", Krishnan, Jullien and
// Miller 1985).
//
// A pass of radix R takes a polynomial modulo z^M - c, c on the unit circle, to R polynomials
// modulo z^(M/R) - r, r the roots of r^R = c: twiddles depend on the block and not on the place in
// it, so they are few. They come first, then a plain transform of R values:
//   part k [p] <- sum over j of a[p + j M/R] r_k^j = DFT_R over j of c^(j/R) a[p + j M/R]
// Passes work in place on slots of W real and W imaginary parts (passes.hpp), until a vector is a
// block; these are transposed. Values stay in whatever order that leaves them in: products do not
// mind. The way back is the way there, backwards, with real and imaginary parts exchanged.
#pragma once

#include "dsp/simd/block_plan.hpp"
#include "dsp/simd/passes.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T, class V>
[[gnu::always_inline]] inline void dft(Complex<V> (&x)[2]) {
  const Complex<V> a = x[0], b = x[1];
  x[0] = a + b;
  x[1] = a - b;
}

// Where vector i of a spectrum begins: groups of 16 values, 16 real parts and then 16 imaginary
// ones (partitions.hpp), `stride` apart.
template <int W>
[[gnu::always_inline]] inline Index place_in_groups(Index i, Index stride) {
  constexpr Index in_group = 16 / W;
  return i / in_group * stride + i % in_group * W;
}

// Calls f with the radix as a constant.
template <class F>
[[gnu::always_inline]] inline void with_radix(int radix, const F& f) {
  if (radix == 16)
    f.template operator()<16>();
  else if (radix == 8)
    f.template operator()<8>();
  else if (radix == 4)
    f.template operator()<4>();
  else
    f.template operator()<2>();
}

// The first pass, of real samples, for the places [begin, end) of each part.
template <class T, int W, int R>
void open_places(const BlockPlan<T>& plan, const T* samples, Index begin, Index end, T* work) {
  const Index step = plan.size / R;
  const T* tw = plan.twiddles[0];
  for (Index p = begin; p < end; p += W) {
    Complex<Vec<T, W>> x[R];
    x[0] = {load<T, W>(samples + p), Vec<T, W>{}};
#pragma GCC unroll 16
    for (int j = 1; j < R; ++j) {
      const auto sample = load<T, W>(samples + p + j * step);
      x[j] = {sample * tw[2 * j - 2], sample * tw[2 * j - 1]};
    }
    dft<T>(x);
#pragma GCC unroll 16
    for (int k = 0; k < R; ++k) store_slot<T, W>(work + 2 * (p + k * step), x[k]);
  }
}

// The way back to samples, low (real parts) and high (imaginary parts), which are added.
template <class T, int W, int R>
void close_places(const BlockPlan<T>& plan, const T* work, Index begin, Index end, T* low,
                  T* high) {
  const Index step = plan.size / R;
  const T* tw = plan.twiddles[0];
  const T scale = T(1) / T(plan.size);
  for (Index p = begin; p < end; p += W) {
    Complex<Vec<T, W>> x[R];
#pragma GCC unroll 16
    for (int k = 0; k < R; ++k) x[k] = load_slot<T, W>(work + 2 * (p + k * step));
    dft<T>(x);
#pragma GCC unroll 16
    for (int j = 0; j < R; ++j) {
      if (j > 0) x[j] = times(x[j], tw[2 * j - 2], tw[2 * j - 1]);
      T* const to = low + p + j * step;
      T* const beyond = high + p + j * step;
      store<T, W>(to, load<T, W>(to) + scale * x[j].im);
      store<T, W>(beyond, load<T, W>(beyond) - scale * x[j].re);
    }
  }
}

// Blocks of `length` values: twiddles, then radix R; or the way back, with the twiddles last.
template <class T, int W, int R, bool back>
void middle_pass(const T* tw, Index n_blocks, Index length, T* work) {
  const Index step = length / R;
  for (Index b = 0; b < n_blocks; ++b, work += 2 * length, tw += 2 * (R - 1))
    for (Index p = 0; p < step; p += W) {
      Complex<Vec<T, W>> x[R];
#pragma GCC unroll 16
      for (int j = 0; j < R; ++j) {
        x[j] = load_slot<T, W>(work + 2 * (p + j * step));
        if (!back && j > 0) x[j] = times(x[j], tw[2 * j - 2], tw[2 * j - 1]);
      }
      dft<T>(x);
#pragma GCC unroll 16
      for (int j = 0; j < R; ++j) {
        if (back && j > 0) x[j] = times(x[j], tw[2 * j - 2], tw[2 * j - 1]);
        store_slot<T, W>(work + 2 * (p + j * step), x[j]);
      }
    }
}

template <class T, int W>
[[gnu::always_inline]] inline void transpose_slots(Complex<Vec<T, W>> (&x)[W]) {
  Vec<T, W> part[W];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) part[i] = x[i].re;
  Transpose<T, W>::run(part);
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) x[i].re = part[i];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) part[i] = x[i].im;
  Transpose<T, W>::run(part);
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) x[i].im = part[i];
}

// Spectra of whole signals lie in an outer cache: what later calls write or read is fetched
// meanwhile.
constexpr Index fetched_vectors = 16;

template <class T, int W>
[[gnu::always_inline]] inline void fetch_groups(const T* groups, Index stride, Index first) {
  constexpr Index line = 64 / sizeof(T);
#pragma GCC unroll 16
  for (int k = 0; k < W; k += 16 / W)
    for (Index i = 0; i < 32; i += line)
      __builtin_prefetch(groups + place_in_groups<W>(first + fetched_vectors * W + k, stride) + i,
                         0, 2);
}

// W vectors are blocks of W values.
template <class T, int W>
[[gnu::always_inline]] inline void last_pass(const T* tw, const T* slots, Index first, T* groups,
                                             Index stride) {
  fetch_groups<T, W>(groups, stride, first);
  Complex<Vec<T, W>> x[W];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) x[i] = load_slot<T, W>(slots + 2 * W * i);
  transpose_slots<T, W>(x);
#pragma GCC unroll 16
  for (int j = 1; j < W; ++j)
    x[j] = times(x[j], load<T, W>(tw + (2 * j - 2) * W), load<T, W>(tw + (2 * j - 1) * W));
  dft<T>(x);
#pragma GCC unroll 16
  for (int k = 0; k < W; ++k) {
    T* const to = groups + place_in_groups<W>(first + k, stride);
    store<T, W>(to, x[k].re);
    store<T, W>(to + 16, x[k].im);
  }
}

// The inverse of it. It exchanges real and imaginary parts, so that the passes of the forward
// transform also serve on the way back.
template <class T, int W>
[[gnu::always_inline]] inline void first_pass_back(const T* tw, const T* groups, Index stride,
                                                   Index first, T* slots) {
  fetch_groups<T, W>(groups, stride, first);
  Complex<Vec<T, W>> x[W];
#pragma GCC unroll 16
  for (int k = 0; k < W; ++k) {
    const T* const from = groups + place_in_groups<W>(first + k, stride);
    x[k] = {load<T, W>(from + 16), load<T, W>(from)};
  }
  dft<T>(x);
#pragma GCC unroll 16
  for (int j = 1; j < W; ++j)
    x[j] = times(x[j], load<T, W>(tw + (2 * j - 2) * W), load<T, W>(tw + (2 * j - 1) * W));
  transpose_slots<T, W>(x);
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) store_slot<T, W>(slots + 2 * W * i, x[i]);
}

template <class T, int W>
void open_block(const BlockPlan<T>& plan, const T* samples, Index begin, Index end, T* work) {
  with_radix(plan.radix[0],
             [&]<int R>() { open_places<T, W, R>(plan, samples, begin, end, work); });
}

template <class T, int W>
void close_block(const BlockPlan<T>& plan, const T* work, Index begin, Index end, T* low, T* high) {
  with_radix(plan.radix[0],
             [&]<int R>() { close_places<T, W, R>(plan, work, begin, end, low, high); });
}

// One middle pass of a span: its blocks, and their twiddles.
template <class T, int W, bool back>
[[gnu::always_inline]] inline void pass_of_span(const BlockPlan<T>& plan, Index span, int pass,
                                                Index length, T* work) {
  const Index n_blocks = plan.span / length;
  const int radix = plan.radix[pass];
  const T* const tw = plan.twiddles[pass] + 2 * (radix - 1) * span * n_blocks;
  with_radix(radix, [&]<int R>() { middle_pass<T, W, R, back>(tw, n_blocks, length, work); });
}

// All that follows the first pass, of one span.
template <class T, int W>
void transform_span(const BlockPlan<T>& plan, Index span, T* work, T* groups, Index stride) {
  work += 2 * span * plan.span;
  Index length = plan.size / plan.radix[0];
  for (int pass = 1; pass < plan.n_passes; ++pass) {
    pass_of_span<T, W, false>(plan, span, pass, length, work);
    length /= plan.radix[pass];
  }
  const Index n_vectors = plan.span / W, first = span * n_vectors;
  const T* tw = plan.last + first / W * 2 * (W - 1) * W;
  for (Index i = 0; i < n_vectors; i += W, tw += 2 * (W - 1) * W)
    last_pass<T, W>(tw, work + 2 * W * i, first + i, groups, stride);
}

template <class T, int W>
void transform_span_back(const BlockPlan<T>& plan, Index span, const T* groups, Index stride,
                         T* work) {
  work += 2 * span * plan.span;
  const Index n_vectors = plan.span / W, first = span * n_vectors;
  const T* tw = plan.last + first / W * 2 * (W - 1) * W;
  for (Index i = 0; i < n_vectors; i += W, tw += 2 * (W - 1) * W)
    first_pass_back<T, W>(tw, groups, stride, first + i, work + 2 * W * i);
  Index length = W;
  for (int pass = plan.n_passes - 1; pass > 0; --pass) {
    length *= plan.radix[pass];
    pass_of_span<T, W, true>(plan, span, pass, length, work);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
