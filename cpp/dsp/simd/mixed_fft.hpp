// Real transforms of sizes that have no kernel of their own (windows in milliseconds, 400, 600,
// 1000 ...), and their inverses: mixed radix, one frame a lane.
//
// lanes[sample * 16 + frame]: a point is a vector of real and one of imaginary parts of W frames,
// so a transform of any radix is scalar code on vectors, with no shuffles. Stockham passes between
// two buffers: results come out in order and every pass reads and writes runs. Radices 2, 3, 4, 5
// and 7 have butterflies of their own; other odd factors up to 61 go by the definition, where
// mirrored outputs share their products (half the multiplications). Even sizes are complex
// transforms of half the size of pairs of samples.
//
// Twiddles are applied at the end of a pass, from a table that mixed_table makes (fft_table.cpp).
// Source: Van Loan, Computational Frameworks for the FFT, 1992, sections 1.7 and 2.1.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T, int W>
struct Point {
  using V = Vec<T, W>;
  V re, im;

  [[gnu::always_inline]] friend inline Point operator+(Point a, Point b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[gnu::always_inline]] friend inline Point operator-(Point a, Point b) {
    return {a.re - b.re, a.im - b.im};
  }
};

template <class P>
[[gnu::always_inline]] inline P minus_i_times(P a) {
  return {a.im, -a.re};
}
template <class P, class T>
[[gnu::always_inline]] inline P turned_by(P a, const T* w) {
  return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}

// Adds the products of one pair of inputs to n outputs of an odd radix. Output k is even + odd in
// the end, output radix - k is even - odd. `step` leads from an output's root to the next one's.
template <int n, class P, class T>
[[gnu::always_inline]] inline void add_products(P (&even)[n], P (&odd)[n], const P& sum,
                                                const P& difference, const T* roots, Index step) {
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) {
    const T c = roots[i * step], s = roots[i * step + 1];
    even[i].re += c * sum.re;
    even[i].im += c * sum.im;
    odd[i].re -= s * difference.re;
    odd[i].im -= s * difference.im;
  }
}

// Odd radices from their definition, three outputs and their mirrors at a time, so that inputs are
// loaded once for six outputs. `half` is a constant for the usual radices.
template <class P, class T>
[[gnu::always_inline]] inline void odd_butterfly(const P* in, Index in_step, P* out, Index out_step,
                                                 int half, const T* twiddles, const T* roots) {
  P sums[largest_factor / 2], differences[largest_factor / 2];
  const int radix = 2 * half + 1;
  const P first = in[0];
  P total = first;
  for (int j = 0; j < half; ++j) {
    const P a = in[(j + 1) * in_step], b = in[(radix - 1 - j) * in_step];
    sums[j] = a + b;
    differences[j] = minus_i_times(a - b);
    total = total + sums[j];
  }
  out[0] = total;
  const auto outputs = [&]<int n>(int k, P(&even)[n]) __attribute__((always_inline)) {
    P odd[n] = {};
    const T* const row = roots + 2 * half * (k - 1);
    for (int j = 0; j < half; ++j)
      add_products(even, odd, sums[j], differences[j], row + 2 * j, 2 * half);
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i) {
      out[(k + i) * out_step] = turned_by(even[i] + odd[i], twiddles + 2 * (k + i - 1));
      out[(radix - k - i) * out_step] =
          turned_by(even[i] - odd[i], twiddles + 2 * (radix - k - i - 1));
    }
  };
  int k = 1;
  for (; k + 2 <= half; k += 3) {
    P even[] = {first, first, first};
    outputs(k, even);
  }
  for (; k <= half; ++k) {
    P even[] = {first};
    outputs(k, even);
  }
}

template <int radix, class P, class T>
[[gnu::always_inline]] inline void butterfly_of(const P* in, Index in_step, P* out, Index out_step,
                                                int any, const T* twiddles, const T* roots) {
  if constexpr (radix == 2) {
    const P a = in[0], b = in[in_step];
    out[0] = a + b;
    out[out_step] = turned_by(a - b, twiddles);
  } else if constexpr (radix == 4) {
    const P a = in[0] + in[2 * in_step], b = in[0] - in[2 * in_step];
    const P c = in[in_step] + in[3 * in_step];
    const P d = minus_i_times(in[in_step] - in[3 * in_step]);
    out[0] = a + c;
    out[out_step] = turned_by(b + d, twiddles);
    out[2 * out_step] = turned_by(a - c, twiddles + 2);
    out[3 * out_step] = turned_by(b - d, twiddles + 4);
  } else {
    odd_butterfly(in, in_step, out, out_step, radix ? radix / 2 : any / 2, twiddles, roots);
  }
}

// One pass; `radix` is 0 for odd radices that have no butterfly of their own.
template <int radix, class P, class T>
void mixed_pass(const MixedPass<T>& pass, const P* in, P* out) {
  const Index stride = pass.stride;
  const T* twiddles = pass.twiddles;
  for (Index p = 0; p < pass.rest; ++p, twiddles += 2 * (pass.radix - 1))
    for (Index q = 0; q < stride; ++q)
      butterfly_of<radix>(in + q + stride * p, stride * pass.rest,
                          out + q + stride * pass.radix * p, stride, pass.radix, twiddles,
                          pass.roots);
}

// Runs all passes between two buffers. Returns the one that holds the result.
template <class P, class T>
P* run_passes(const MixedPlan<T>& plan, P* data, P* other) {
  for (Index i = 0; i < plan.n_passes; ++i) {
    const MixedPass<T>& pass = plan.passes[i];
    switch (pass.radix) {
      case 2:
        mixed_pass<2>(pass, data, other);
        break;
      case 3:
        mixed_pass<3>(pass, data, other);
        break;
      case 4:
        mixed_pass<4>(pass, data, other);
        break;
      case 5:
        mixed_pass<5>(pass, data, other);
        break;
      case 7:
        mixed_pass<7>(pass, data, other);
        break;
      default:
        mixed_pass<0>(pass, data, other);
    }
    P* const result = other;
    other = data;
    data = result;
  }
  return data;
}

// Calls emit(bin, re, im) for all bins of W frames. The window of even sizes carries a factor 1/2.
template <class T, class S, int W, class Emit>
[[gnu::always_inline]] inline void transform_lanes(const MixedPlan<T>& plan, const S* lanes,
                                                   const T* window, T* work, const Emit& emit) {
  using P = Point<T, W>;
  P* data = (P*)work;
  const auto sample = [=](Index i) __attribute__((always_inline)) {
    return load_as<T, W>(lanes + i * n_lanes) * window[i];
  };
  if (!plan.packed()) {
    for (Index i = 0; i < plan.points; ++i) data[i] = P{sample(i), {}};
    data = run_passes(plan, data, data + plan.points);
    for (Index k = 0; k <= plan.size / 2; ++k) emit(k, data[k].re, data[k].im);
    return;
  }
  for (Index i = 0; i < plan.points; ++i) data[i] = P{sample(2 * i), sample(2 * i + 1)};
  data = run_passes(plan, data, data + plan.points);
  for (Index k = 0; 2 * k <= plan.points; ++k) {
    const Index mirror = plan.points - k;
    const P a = data[k], b = data[k ? mirror : 0];
    const P even{a.re + b.re, a.im - b.im};
    const P odd = turned_by(P{a.im + b.im, b.re - a.re}, plan.split + 2 * k);
    emit(k, even.re + odd.re, even.im + odd.im);
    if (mirror != k) emit(mirror, even.re - odd.re, odd.im - even.im);
  }
}

template <class T, class S>
void mixed_powers(const MixedPlan<T>& plan, const S* lanes, const T* window, Index count, T* work,
                  S* out) {
  constexpr int W = native_width<T>;
  for (int first = 0; first < n_lanes; first += W) {
    if (first < count)
      transform_lanes<T, S, W>(plan, lanes + first, window, work,
                               [=](Index bin, Vec<T, W> re, Vec<T, W> im) {
                                 const auto r = converted<S, W>(re), i = converted<S, W>(im);
                                 store<S, W>(out + bin * n_lanes + first, r * r + i * i);
                               });
    else
      for (Index bin = 0; bin <= plan.size / 2; ++bin)
        store<S, W>(out + bin * n_lanes + first, Vec<S, W>{});
  }
}

template <class T, class S>
void mixed_spectra(const MixedPlan<T>& plan, const S* lanes, const T* window, Index count, T* work,
                   S* out) {
  constexpr int W = native_width<T>;
  for (int first = 0; first < count; first += W)
    transform_lanes<T, S, W>(plan, lanes + first, window, work,
                             [=](Index bin, Vec<T, W> re, Vec<T, W> im) {
                               S* const at = out + 2 * bin * n_lanes + first;
                               store<S, W>(at, converted<S, W>(re));
                               store<S, W>(at + n_lanes, converted<S, W>(im));
                             });
}

// Inverse: conj(transform(conj(z))) / points. `data` is filled with conjugates, and the rest is in
// the window and in what is stored.
template <class T, int W>
[[gnu::always_inline]] inline void fill_conjugates(const MixedPlan<T>& plan, const T* lanes,
                                                   Point<T, W>* data) {
  using P = Point<T, W>;
  const auto bin = [=](Index k) __attribute__((always_inline)) {
    const T* const at = lanes + 2 * k * n_lanes;
    return P{load<T, W>(at), load<T, W>(at + n_lanes)};
  };
  const P zero = bin(0);
  if (!plan.packed()) {
    data[0] = P{zero.re, {}};
    for (Index k = 1; k <= plan.size / 2; ++k) {
      data[plan.points - k] = bin(k);
      data[k] = P{data[plan.points - k].re, -data[plan.points - k].im};
    }
    return;
  }
  // The imaginary parts of the first and the last bin are ignored, as those of a real signal are
  // zero.
  const auto last = bin(plan.points).re;
  data[0] = P{zero.re + last, last - zero.re};
  for (Index k = 1; 2 * k <= plan.points; ++k) {
    const Index mirror = plan.points - k;
    const P a = bin(k), b = bin(mirror);
    const P sum{a.re + b.re, a.im - b.im}, d{a.re - b.re, a.im + b.im};
    const T c = plan.split[2 * k], s = plan.split[2 * k + 1];
    const P turned{d.re * c + d.im * s, d.im * c - d.re * s};
    data[k] = P{sum.re - turned.im, -sum.im - turned.re};
    if (mirror != k) data[mirror] = P{sum.re + turned.im, sum.im - turned.re};
  }
}

template <class T>
void mixed_inverse(const MixedPlan<T>& plan, const T* lanes, const T* window, Index count, T* work,
                   T* out) {
  constexpr int W = native_width<T>;
  using P = Point<T, W>;
  const T scale = T(1) / T(plan.size);
  for (int first = 0; first < count; first += W) {
    P* data = (P*)work;
    fill_conjugates<T, W>(plan, lanes + first, data);
    data = run_passes(plan, data, data + plan.points);
    const auto put = [=](Index i, Vec<T, W> value) __attribute__((always_inline)) {
      store<T, W>(out + i * n_lanes + first, value * (scale * window[i]));
    };
    for (Index i = 0; i < plan.points; ++i)
      if (plan.packed()) {
        put(2 * i, data[i].re);
        put(2 * i + 1, -data[i].im);
      } else {
        put(i, data[i].re);
      }
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
