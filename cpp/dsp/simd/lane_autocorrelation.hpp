// Autocorrelations of windowed frames (tempograms): transform, power, transform back
// (Wiener-Khinchin), with as many zeros behind a frame as it has samples, so that no lag wraps
// around.
//
// One frame a lane: frames that begin one sample apart are neighbouring lanes, and their samples
// are one load that is not aligned, so nothing is transposed. A point of a transform is a vector of
// real and one of imaginary parts; the real frame is packed into half as many complex points. The
// forward passes leave their results in digit-reversed order and the backward ones start from it,
// so neither reorders. The upper half of the padded frame is zero: the first pass copies there in
// place of adding.
//
// All in double, as the reference: tempi are decisions over sums of many frames. Where only the
// mean over frames is asked for, powers are summed, and one transform leads back.
#pragma once

#include "dsp/simd/lane_plan.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// A transform in place keeps 16 bytes a point and lane: four lanes of usual lengths fit the
// smallest first-level caches, eight do not. Vectors wider than the registers would be taken apart.
constexpr int ac_lanes =
    native_width<double> < most_lag_lanes ? native_width<double> : most_lag_lanes;
using LaneVec = Vec<double, ac_lanes>;

struct Cx {
  LaneVec re, im;
};

[[gnu::always_inline]] inline Cx load_point(const double* p) {
  return {load<double, ac_lanes>(p), load<double, ac_lanes>(p + ac_lanes)};
}
[[gnu::always_inline]] inline void store_point(double* p, Cx v) {
  store<double, ac_lanes>(p, v.re);
  store<double, ac_lanes>(p + ac_lanes, v.im);
}
[[gnu::always_inline]] inline Cx operator+(Cx a, Cx b) {
  return {a.re + b.re, a.im + b.im};
}
[[gnu::always_inline]] inline Cx operator-(Cx a, Cx b) {
  return {a.re - b.re, a.im - b.im};
}
// sign * i * a
template <int sign>
[[gnu::always_inline]] inline Cx turned(Cx a) {
  return sign > 0 ? Cx{-a.im, a.re} : Cx{a.im, -a.re};
}
// a * w for the forward transform (sign -1), a * conj(w) for the inverse one.
template <int sign>
[[gnu::always_inline]] inline Cx times(Cx a, const double* w) {
  const double re = w[0], im = sign < 0 ? w[1] : -w[1];
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

// The transform of R values; `sign` is that of the exponent.
template <int R, int sign>
[[gnu::always_inline]] inline void butterfly(Cx* v) {
  if constexpr (R == 2) {
    const Cx a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  } else if constexpr (R == 3) {
    constexpr double half_root3 = 0.86602540378443864676;
    const Cx sum = v[1] + v[2], difference = turned<sign>(v[1] - v[2]);
    const Cx middle{v[0].re - 0.5 * sum.re, v[0].im - 0.5 * sum.im};
    const Cx side{half_root3 * difference.re, half_root3 * difference.im};
    v[0] = v[0] + sum;
    v[1] = middle + side;
    v[2] = middle - side;
  } else {
    const Cx a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned<sign>(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
}

// One pass in place over `blocks` blocks of n points: decimation in frequency forward (butterfly,
// then twiddles), in time backward (twiddles, then butterfly), so that neither needs reordering.
template <int R, int sign, bool twiddled>
[[gnu::always_inline]] inline void pass_of(double* data, Index n, Index blocks,
                                           const double* twiddles) {
  constexpr Index point = 2 * ac_lanes;
  const Index part = n / R;
  for (Index j = 0; j < part; ++j) {
    const double* w = twiddles + j * 2 * (R - 1);
    for (Index block = 0; block < blocks; ++block) {
      double* const first = data + (block * n + j) * point;
      Cx v[R];
#pragma GCC unroll 4
      for (int q = 0; q < R; ++q) {
        v[q] = load_point(first + q * part * point);
        if (twiddled && sign > 0 && q > 0) v[q] = times<sign>(v[q], w + 2 * (q - 1));
      }
      butterfly<R, sign>(v);
#pragma GCC unroll 4
      for (int q = 0; q < R; ++q) {
        if (twiddled && sign < 0 && q > 0) v[q] = times<sign>(v[q], w + 2 * (q - 1));
        store_point(first + q * part * point, v[q]);
      }
    }
  }
}

template <int sign>
void run_pass(const LanePlan& plan, const LanePass& pass, double* data) {
  const Index blocks = plan.points / pass.size;
  const double* w = plan.twiddles + pass.twiddles;
  const bool last = pass.size == pass.radix;  // all of its twiddles are 1
  if (pass.radix == 4)
    last ? pass_of<4, sign, false>(data, pass.size, blocks, w)
         : pass_of<4, sign, true>(data, pass.size, blocks, w);
  else if (pass.radix == 3)
    last ? pass_of<3, sign, false>(data, pass.size, blocks, w)
         : pass_of<3, sign, true>(data, pass.size, blocks, w);
  else
    last ? pass_of<2, sign, false>(data, pass.size, blocks, w)
         : pass_of<2, sign, true>(data, pass.size, blocks, w);
}

// Transforms the windowed samples of ac_lanes frames, one a lane, and returns the energy of each.
// `window` has plan.points values, zero beyond the frame's length; x has plan.points + ac_lanes
// finite values.
LaneVec transform_frames(const LanePlan& plan, const double* x, const double* window,
                         double* data) {
  constexpr Index point = 2 * ac_lanes;
  const Index half = plan.points / 2;
  LaneVec energy = {};
  // The upper half of the packed frame is zero, so the first butterfly copies instead of adding.
  for (Index m = 0; m < half; ++m) {
    const Cx z{window[2 * m] * load<double, ac_lanes>(x + 2 * m),
               window[2 * m + 1] * load<double, ac_lanes>(x + 2 * m + 1)};
    energy += z.re * z.re + z.im * z.im;
    store_point(data + m * point, z);
    store_point(data + (m + half) * point, times<-1>(z, plan.twiddles + 2 * m));
  }
  for (Index i = 0; i < plan.n_passes; ++i) run_pass<-1>(plan, plan.passes[i], data);
  return energy;
}

// From the spectrum Z of packed frames (even samples real, odd ones imaginary) to the packed
// spectrum of their autocorrelations. With P the power of a frame's own spectrum of 2 points bins
// and t = pi k / points: Z[k] becomes P[k] + P[points - k] + i e^(it) (P[k] - P[points - k]).
// Calls visit(point, value) for each.
template <class Visit>
[[gnu::always_inline]] inline void visit_powers(const LanePlan& plan, const double* data,
                                                const Visit& visit) {
  constexpr Index point = 2 * ac_lanes;
  for (Index i = 0; i < plan.n_pairs; ++i) {
    const LanePair& pair = plan.pairs[i];
    const Cx z = load_point(data + pair.at * point), m = load_point(data + pair.mirror * point);
    const LaneVec pz = z.re * z.re + z.im * z.im, pm = m.re * m.re + m.im * m.im;
    const LaneVec product = z.re * m.im + z.im * m.re;  // the imaginary part of z m
    const LaneVec sum = (pz + pm) * plan.scale;
    const LaneVec difference = (2 * pair.cosine * product - pair.sine * (pz - pm)) * plan.scale;
    const LaneVec turned_difference = pair.cosine * difference;
    visit(pair.at * point, Cx{sum - pair.sine * difference, turned_difference});
    if (pair.mirror != pair.at)
      visit(pair.mirror * point, Cx{sum + pair.sine * difference, turned_difference});
  }
}

// Transforms packed spectra back and calls visit(k, values) for the lags k < length. Only the lower
// half of the lags is computed in the last pass.
template <class Visit>
[[gnu::always_inline]] inline void visit_lags(const LanePlan& plan, double* data, Index length,
                                              const Visit& visit) {
  constexpr Index point = 2 * ac_lanes;
  const Index half = plan.points / 2;
  for (Index i = plan.n_passes; i-- > 0;) run_pass<1>(plan, plan.passes[i], data);
  for (Index m = 0; 2 * m < length; ++m) {
    const Cx lags = load_point(data + m * point) +
                    times<1>(load_point(data + (m + half) * point), plan.twiddles + 2 * m);
    visit(2 * m, lags.re);
    if (2 * m + 1 < length) visit(2 * m + 1, lags.im);
  }
}

// out[k * stride + t] = sum over i of window[i] x[t + i] * window[i + k] x[t + i + k] for k <
// length and t < count, a multiple of most_lag_lanes. `work`: 2 * most_lag_lanes * plan.points
// values, aligned.
void lane_autocorrelations(const LanePlan& plan, const double* x, const double* window,
                           Index length, Index count, double* work, double* out, Index stride) {
  for (Index t = 0; t < count; t += ac_lanes) {
    transform_frames(plan, x + t, window, work);
    visit_powers(plan, work, [=](Index at, Cx power) { store_point(work + at, power); });
    visit_lags(plan, work, length,
               [=](Index k, LaneVec lags) { store<double, ac_lanes>(out + k * stride + t, lags); });
  }
}

// out[k] = the sum of the same over t < count, any number, each frame divided by its lag 0 (its
// energy, the largest of its lags) unless that is below `smallest`. Transforms are linear: powers
// are weighted and summed, and one transform leads back. `work` has twice the size.
void scaled_autocorrelation_sum(const LanePlan& plan, const double* x, const double* window,
                                Index length, Index count, double smallest, double* work,
                                double* out) {
  const Index size = 2 * ac_lanes * plan.points;
  double* const total = work + size;
  for (Index i = 0; i < size; ++i) total[i] = 0;
  for (Index t = 0; t < count; t += ac_lanes) {
    const LaneVec energy = transform_frames(plan, x + t, window, work);
    LaneVec weight = 1.0 / (energy < smallest ? LaneVec{} + 1.0 : energy);
    for (Index lane = count - t; lane < ac_lanes; ++lane) weight[lane] = 0;
    visit_powers(plan, work, [=](Index at, Cx power) {
      const Cx sum = load_point(total + at);
      store_point(total + at, {sum.re + weight * power.re, sum.im + weight * power.im});
    });
  }
  visit_lags(plan, total, length, [=](Index k, LaneVec lags) {
    double sum = 0;
    for (int lane = 0; lane < ac_lanes; ++lane) sum += lags[lane];
    out[k] = sum;
  });
}

// Divides each of `count` <= 64 columns by its largest magnitude, unless that is below `smallest`.
void normalize_to_peak(double* values, Index rows, Index count, Index stride, double smallest) {
  double peaks[64] = {};
  for (Index r = 0; r < rows; ++r)
    for (Index t = 0; t < count; ++t) {
      const double magnitude = __builtin_fabs(values[r * stride + t]);
      peaks[t] = magnitude > peaks[t] ? magnitude : peaks[t];
    }
  for (Index t = 0; t < count; ++t) peaks[t] = peaks[t] < smallest ? 1 : peaks[t];
  for (Index r = 0; r < rows; ++r)
    for (Index t = 0; t < count; ++t) values[r * stride + t] /= peaks[t];
}

}  // namespace
}  // namespace metalmom::dsp::simd
