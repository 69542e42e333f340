// Real transforms of sizes that have no kernel of their own (windows in milliseconds, 400, 600,
// 1000 ...), and their inverses: mixed radix, one frame a lane.
//
// lanes[sample * 16 + frame]: a point is a vector of real and one of imaginary parts of W frames,
// so a transform of any radix is scalar code on vectors, with no shuffles. Radices 2, 4 and 8 have
// butterflies of their own; odd factors up to 61 go by the definition, where mirrored outputs share
// their products (half the multiplications). Even sizes are complex transforms of half the size of
// pairs of samples.
//
// Passes run in place, by decimation in frequency, so that the points of usual sizes stay in the
// first-level cache. Their results lie in digit-reversed order, which costs nothing: the last pass
// looks up where its groups lie. The first pass reads and windows the samples, and the last one
// makes bins of its results while they are in registers, so nothing else goes over the points.
//
// Twiddles are applied at the end of a pass, from a table that mixed_table makes (fft_table.cpp).
// Source: Van Loan, Computational Frameworks for the FFT, 1992, sections 1.9 and 2.1.
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

// The roots of the passes (mixed_plan.hpp), known when compiled for the commonest odd radices.
template <int radix, class T>
[[gnu::always_inline]] inline const T* roots_of(const MixedPass<T>& pass) {
  if constexpr (radix == 3) {
    static constexpr T roots[] = {T(-0.5), T(-0.86602540378443864676)};
    return roots;
  } else if constexpr (radix == 5) {
    constexpr T c1 = T(0.30901699437494742410), s1 = T(0.95105651629515357212);
    constexpr T c2 = T(-0.80901699437494742410), s2 = T(0.58778525229247312917);
    static constexpr T roots[] = {c1, -s1, c2, -s2, c2, -s2, c1, s1};
    return roots;
  } else {
    return pass.roots;
  }
}

// Odd radices from their definition, three outputs and their mirrors at a time, so that sums of
// inputs are loaded once for six outputs. `radix` is 0 for those without a butterfly of their own.
template <int radix, class P, class T, class In, class Out>
[[gnu::always_inline]] inline void odd_butterfly(const MixedPass<T>& pass, const In& in,
                                                 const Out& out) {
  constexpr int most = (radix ? radix : largest_factor) / 2;
  const int n = radix ? radix : pass.radix, half = n / 2;
  P sums[most], differences[most];
  const P first = in(0);
  P total = first;
  for (int j = 0; j < half; ++j) {
    const P a = in(j + 1), b = in(n - 1 - j);
    sums[j] = a + b;
    differences[j] = minus_i_times(a - b);
    total = total + sums[j];
  }
  out(0, total);
  const auto outputs = [&]<int count>(int k, P(&even)[count]) __attribute__((always_inline)) {
    P odd[count] = {};
    const T* const row = roots_of<radix>(pass) + 2 * half * (k - 1);
#pragma GCC unroll vector_bytes == 64 ? 4 : 1  // what the registers allow
    for (int j = 0; j < half; ++j)
      add_products(even, odd, sums[j], differences[j], row + 2 * j, 2 * half);
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) {
      out(k + i, even[i] + odd[i]);
      out(n - k - i, even[i] - odd[i]);
    }
  };
  if constexpr (radix && radix < 7) {
    P even[most];
#pragma GCC unroll 4
    for (int i = 0; i < most; ++i) even[i] = first;
    outputs(1, even);
  } else {
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
}

// Transforms four points in place.
template <class P>
[[gnu::always_inline]] inline void transform_four(P& x0, P& x1, P& x2, P& x3) {
  const P a = x0 + x2, b = x0 - x2, c = x1 + x3, d = minus_i_times(x1 - x3);
  x0 = a + c;
  x1 = b + d;
  x2 = a - c;
  x3 = b - d;
}

// Calls out(k, point) for the results of a butterfly of the points in(j), after the last in(j).
template <int radix, class P, class T, class In, class Out>
[[gnu::always_inline]] inline void butterfly(const MixedPass<T>& pass, const In& in,
                                             const Out& out) {
  if constexpr (radix == 2) {
    const P a = in(0), b = in(1);
    out(0, a + b);
    out(1, a - b);
  } else if constexpr (radix == 4) {
    P x0 = in(0), x1 = in(1), x2 = in(2), x3 = in(3);
    transform_four(x0, x1, x2, x3);
    out(0, x0);
    out(1, x1);
    out(2, x2);
    out(3, x3);
  } else if constexpr (radix == 8) {
    P a0 = in(0), a1 = in(2), a2 = in(4), a3 = in(6);
    transform_four(a0, a1, a2, a3);
    P b0 = in(1), b1 = in(3), b2 = in(5), b3 = in(7);
    transform_four(b0, b1, b2, b3);
    constexpr T h = T(0.70710678118654752440);
    b1 = {(b1.re + b1.im) * h, (b1.im - b1.re) * h};
    b2 = minus_i_times(b2);
    b3 = {(b3.im - b3.re) * h, (b3.re + b3.im) * -h};
    out(0, a0 + b0);
    out(1, a1 + b1);
    out(2, a2 + b2);
    out(3, a3 + b3);
    out(4, a0 - b0);
    out(5, a1 - b1);
    out(6, a2 - b2);
    out(7, a3 - b3);
  } else {
    odd_butterfly<radix, P>(pass, in, out);
  }
}

// Calls run.operator()<radix>() if `radix` is one of these, else run.operator()<0>().
template <int... radices, class Run>
[[gnu::always_inline]] inline void with_radix(int radix, const Run& run) {
  if (!((radix == radices && (run.template operator()<radices>(), true)) || ...))
    run.template operator()<0>();
}

// One pass over `points` that are transforms of pass.rest * radix points, one after the other:
// reads point i as in(i) and writes to data[i], which may be where it came from.
template <int radix, class P, class T, class In>
[[gnu::noinline]] void pass_of(const MixedPass<T>& pass, Index points, const In& in, P* data) {
  const Index step = pass.rest;
  const int n = radix ? radix : pass.radix;
  for (Index begin = 0; begin < points; begin += step * n) {
    const T* twiddles = pass.twiddles - 2;
    for (Index p = begin; p < begin + step; ++p, twiddles += 2 * (n - 1))
      butterfly<radix, P>(
          pass, [=](int j) __attribute__((always_inline)) { return in(p + j * step); },
          [=](int k, const P& value) __attribute__((always_inline)) {
            const P result = k ? turned_by(value, twiddles + 2 * k) : value;
            data[p + k * step].re = result.re;
            data[p + k * step].im = result.im;
          });
  }
}

template <class P>
struct StoredPoints {
  const P* data;
  // Part by part, since GCC copies whole points by way of the stack.
  [[gnu::always_inline]] inline P operator()(Index i) const { return {data[i].re, data[i].im}; }
};

// The passes first <= i < last, in place.
template <class P, class T>
void run_passes(const MixedPlan<T>& plan, Index first, Index last, P* data) {
  for (Index i = first; i < last; ++i)
    with_radix<2, 3, 4, 5, 7, 8>(plan.passes[i].radix, [&]<int radix>() {
      pass_of<radix>(plan.passes[i], plan.points, StoredPoints<P>{data}, data);
    });
}

// All passes but the last one, which makes bins. The first one reads samples.
template <class P, class T, class In>
void begin_passes(const MixedPlan<T>& plan, const In& in, P* data) {
  with_radix<2, 3, 4, 5, 8>(plan.n_passes > 1 ? plan.passes[0].radix : 0, [&]<int radix>() {
    if constexpr (radix)
      pass_of<radix>(plan.passes[0], plan.points, in, data);
    else
      for (Index i = 0; i < plan.points; ++i) data[i] = in(i);
    run_passes(plan, radix ? 1 : 0, plan.n_passes - 1, data);
  });
}

// Runs the last pass, whose twiddles are one. Calls run.operator()<radix>(results), in which
// results(group, out) gives the results `group`, group + n_groups, ...: in `out`, where the radix
// is known when compiled, so that they can stay in registers.
template <class P, class T, class Run>
[[gnu::always_inline]] inline void last_pass(const MixedPlan<T>& plan, P* data, const Run& run) {
  const MixedPass<T>& pass = plan.passes[plan.n_passes - 1];
  with_radix<3, 5>(
      pass.radix, [&]<int radix>() __attribute__((always_inline)) {
        if constexpr (!radix) run_passes(plan, plan.n_passes - 1, plan.n_passes, data);
        run.template operator()<radix>([&](Index group, P * out) __attribute__((always_inline)) {
          const P* const at = data + plan.groups[group];
          if constexpr (!radix) return at;
          butterfly<radix, P>(
              pass, StoredPoints<P>{at}, [=](int k, const P& value) __attribute__((always_inline)) {
                out[k].re = value.re;
                out[k].im = value.im;
              });
          return (const P*)out;
        });
      });
}

// Calls emit(i, point) for all results, after the last pass.
template <class P, class T, class Emit>
[[gnu::always_inline]] inline void emit_points(const MixedPlan<T>& plan, P* data,
                                               const Emit& emit) {
  const int last_radix = plan.passes[plan.n_passes - 1].radix;
  const Index n_groups = plan.points / last_radix;
  last_pass(
      plan, data, [&]<int radix>(const auto& results) __attribute__((always_inline)) {
        P memory[radix + 1];
        for (Index group = 0; group < n_groups; ++group) {
          const P* const points = results(group, memory);
#pragma GCC unroll 8
          for (int k = 0; k < (radix ? radix : last_radix); ++k)
            emit(group + k * n_groups, points[k]);
        }
      });
}

// Of a transform of pairs of samples: calls emit(bin, re, im) for the bins of the samples, each
// and its mirror from the results of the same numbers. Those lie in mirrored groups.
template <class P, class T, class Emit>
[[gnu::always_inline]] inline void emit_bins(const MixedPlan<T>& plan, P* data, const Emit& emit) {
  const int last_radix = plan.passes[plan.n_passes - 1].radix;
  const Index n_groups = plan.points / last_radix;
  // The bins k, k + n_groups, ... of own[j] and mirrors[n - 1 - j], and the mirrors of these bins.
  const auto split = [&](Index k, const P* own, const P* mirrors, int n, int count)
      __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int j = 0; j < count; ++j, k += n_groups) {
      const Index mirror = plan.points - k;
      const P &a = own[j], &b = mirrors[n - 1 - j];
      const P even{a.re + b.re, a.im - b.im};
      const P odd = turned_by(P{a.im + b.im, b.re - a.re}, plan.split + 2 * k);
      emit(k, even.re + odd.re, even.im + odd.im);
      if (mirror != k) emit(mirror, even.re - odd.re, odd.im - even.im);
    }
  };
  last_pass(
      plan, data, [&]<int radix>(const auto& results) __attribute__((always_inline)) {
        const int n = radix ? radix : last_radix;
        P low_memory[radix + 1], high_memory[radix + 1];
        const P* low = results(0, low_memory);
        split(0, low, low, 1, 1);
        split(n_groups, low + 1, low + 1, n - 1, n / 2);
        for (Index group = 1; 2 * group <= n_groups; ++group) {
          const Index mirror = n_groups - group;
          low = results(group, low_memory);
          const P* const high = results(mirror, high_memory);
          split(group, low, high, n, (n + 1) / 2);
          if (mirror != group) split(mirror, high, low, n, n / 2);
        }
      });
}

// The points of windowed samples.
template <class T, class S, int W, bool packed>
struct WindowedPoints {
  const S* lanes;
  const T* window;

  [[gnu::always_inline]] inline Vec<T, W> sample(Index i) const {
    return load_as<T, W>(lanes + i * n_lanes) * window[i];
  }
  [[gnu::always_inline]] inline Point<T, W> operator()(Index i) const {
    if constexpr (packed)
      return {sample(2 * i), sample(2 * i + 1)};
    else
      return {sample(i), Vec<T, W>{}};
  }
};

// Calls emit(bin, re, im) for all bins of W frames. The window of even sizes carries a factor 1/2.
template <class T, class S, int W, class Emit>
[[gnu::always_inline]] inline void transform_lanes(const MixedPlan<T>& plan, const S* lanes,
                                                   const T* window, T* work, const Emit& emit) {
  using P = Point<T, W>;
  P* const data = (P*)work;
  if (plan.packed()) {
    begin_passes(plan, WindowedPoints<T, S, W, true>{lanes, window}, data);
    emit_bins(plan, data, emit);
  } else {
    begin_passes(plan, WindowedPoints<T, S, W, false>{lanes, window}, data);
    emit_points(
        plan, data, [=](Index k, const P& bin) __attribute__((always_inline)) {
          if (2 * k <= plan.size) emit(k, bin.re, bin.im);
        });
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
    P* const data = (P*)work;
    fill_conjugates<T, W>(plan, lanes + first, data);
    run_passes(plan, 0, plan.n_passes - 1, data);
    const auto put = [=](Index i, Vec<T, W> value) __attribute__((always_inline)) {
      store<T, W>(out + i * n_lanes + first, value * (scale * window[i]));
    };
    emit_points(
        plan, data, [=](Index i, const P& point) __attribute__((always_inline)) {
          if (plan.packed()) {
            put(2 * i, point.re);
            put(2 * i + 1, -point.im);
          } else {
            put(i, point.re);
          }
        });
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
