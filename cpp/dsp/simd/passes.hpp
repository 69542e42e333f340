// The complex transform over slots: one complex vector each, W real parts and W imaginary parts.
//
// fft_plan.hpp says how a size is cut into passes and why. The first pass reads the samples by way
// of a function (windowed, widened and split into even and odd on the way: no copy of the frame is
// made), does W butterflies of radix W at once, and transposes W x W blocks in registers, after
// which lanes are transforms of their own. The later passes work on slots in place and use one
// twiddle for a whole slot. All sizes, strides and twiddle places are constants of the instance, so
// loops have constant bounds and everything is inlined; a size and type is one function of a few
// kilobytes.
#pragma once

#include "dsp/simd/butterflies.hpp"
#include "dsp/simd/fft_plan.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T, int W>
[[gnu::always_inline]] inline Complex<Vec<T, W>> load_slot(const T* p) {
  return {load<T, W>(p), load<T, W>(p + W)};
}
template <class T, int W>
[[gnu::always_inline]] inline void store_slot(T* p, Complex<Vec<T, W>> x) {
  store<T, W>(p, x.re);
  store<T, W>(p + W, x.im);
}

// Radix W over inputs that `read(n)` gives as W complex values from n on.
template <class T, int W, FftPass pass, class Read>
[[gnu::always_inline]] inline void first_pass(const T* table, const Read& read, T* slots) {
  using V = Vec<T, W>;
  constexpr Index rest = pass.length / W;
  const T* tw = table + pass.twiddles;
  for (Index p = 0; p < rest; p += W) {
    Complex<V> x[W];
#pragma GCC unroll 16
    for (int j = 0; j < W; ++j) x[j] = read(p + rest * j);
    dft<T>(x);
#pragma GCC unroll 16
    for (int k = 1; k < W; ++k)
      x[k] = times(x[k], load<T, W>(tw + (2 * k - 2) * W), load<T, W>(tw + (2 * k - 1) * W));
    tw += 2 * (W - 1) * W;
    V part[W];
#pragma GCC unroll 16
    for (int k = 0; k < W; ++k) part[k] = x[k].re;
    Transpose<T, W>::run(part);
#pragma GCC unroll 16
    for (int k = 0; k < W; ++k) store<T, W>(slots + 2 * W * (p + k), part[k]);
#pragma GCC unroll 16
    for (int k = 0; k < W; ++k) part[k] = x[k].im;
    Transpose<T, W>::run(part);
#pragma GCC unroll 16
    for (int k = 0; k < W; ++k) store<T, W>(slots + 2 * W * (p + k) + W, part[k]);
  }
}

template <class T, int W, FftPass pass, bool twiddle>
[[gnu::always_inline]] inline void butterfly(T* slots, const T* tw) {
  constexpr int R = pass.radix;
  constexpr Index step = 2 * W * pass.length / R;
  Complex<Vec<T, W>> x[R];
#pragma GCC unroll 16
  for (int j = 0; j < R; ++j) x[j] = load_slot<T, W>(slots + step * j);
  dft<T>(x);
#pragma GCC unroll 16
  for (int k = 0; k < R; ++k) {
    if (twiddle && k > 0) x[k] = times(x[k], tw[2 * k - 2], tw[2 * k - 1]);
    store_slot<T, W>(slots + step * k, x[k]);
  }
}

template <class T, int W, Index points, FftPass pass>
[[gnu::always_inline]] inline void later_pass(const T* table, T* slots) {
  constexpr Index all = 2 * points, length = 2 * W * pass.length;
  for (Index at = 0; at < all; at += length)  // p = 0: all twiddles are 1
    butterfly<T, W, pass, false>(slots + at, nullptr);
  const T* tw = table + pass.twiddles;
  for (Index p = 1; p < pass.length / pass.radix; ++p) {
    for (Index at = 0; at < all; at += length)
      butterfly<T, W, pass, true>(slots + 2 * W * p + at, tw);
    tw += 2 * (pass.radix - 1);
  }
}

// All passes from `from` on.
template <class T, int W, Index points, int from = 1>
[[gnu::always_inline]] inline void later_passes(const T* table, T* slots) {
  constexpr FftPlan plan = fft_plan(points, W);
  if constexpr (from < plan.n_passes) {
    later_pass<T, W, points, plan.passes[from]>(table, slots);
    later_passes<T, W, points, from + 1>(table, slots);
  }
}

// Transforms what `read` gives into 2 * points values of slots.
template <class T, int W, Index points, class Read>
[[gnu::always_inline]] inline void transform(const T* table, const Read& read, T* slots) {
  first_pass<T, W, fft_plan(points, W).passes[0]>(table, read, slots);
  later_passes<T, W, points>(table, slots);
}

// The slot of each block of W bins.
template <Index points, int W>
struct BlockSlots {
  unsigned short slot[points / W + 1];
  constexpr BlockSlots() : slot() {
    constexpr FftPlan plan = fft_plan(points, W);
    for (Index block = 0; block < points / W; ++block)
      slot[block] = static_cast<unsigned short>(slot_of_block(plan, block));
    slot[points / W] = 0;  // bin M is bin 0 again
  }
};
template <Index points, int W>
constexpr BlockSlots<points, W> block_slots;

}  // namespace
}  // namespace metalmom::dsp::simd
