// The difference function of YIN (de Cheveigne and Kawahara 2002, steps 2 to 4) and its troughs, 16
// frames in lanes.
//
// values[period * 16 + frame]. d(k) = 2 (r(0) - r(k)) less the energy that a shift by k leaves out,
// from autocorrelations that a transform has made: O(n log n) where the definition is O(n^2). The
// running mean that normalises d is a sum over k, a recurrence: along lanes it would be serial,
// across frames it is one addition a vector. In double, since 2 (r(0) - r(k)) is a difference of
// nearly equal numbers at the period.
//
// choose_troughs keeps, for each lane, the first trough below the threshold and the least value, in
// one pass and without branches.
#pragma once

#include "dsp/simd/lanes.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
void normalized_differences(const T* correlations, const T* samples, Index min_period,
                            Index max_period, double tiny, T* out) {
  constexpr int W = native_width<double>;
  using D = Vec<double, W>;
  for (int lane = 0; lane < n_lanes; lane += W) {
    const D whole = load_as<double, W>(correlations + lane);
    D energy = {}, sum = {};
    for (Index k = 1; k <= max_period; ++k) {
      const D sample = load_as<double, W>(samples + (k - 1) * n_lanes + lane);
      energy += sample * sample;
      const D lag = load_as<double, W>(correlations + k * n_lanes + lane);
      // The energy that a shift by k leaves out; librosa leaves out none for k = 1.
      const D difference = 2.0 * (whole - lag) - (k == 1 ? D{} : energy);
      sum += difference;
      if (k >= min_period)
        store<T, W>(out + (k - min_period) * n_lanes + lane,
                    converted<T, W>(D(difference / (sum / double(k) + tiny))));
    }
  }
}

template <class T>
void choose_troughs(const T* values, Index n, T threshold, T* chosen) {
  constexpr int W = native_width<T>;
  using V = Vec<T, W>;
  for (int lane = 0; lane < n_lanes; lane += W) {
    V before = load<T, W>(values + lane), here = before;
    V least = here, least_at = {}, first_at = V{} - T(1);
    for (Index k = 0; k < n; ++k) {
      const V after = k + 1 < n ? load<T, W>(values + (k + 1) * n_lanes + lane) : here;
      const V at = V{} + T(k);
      // The first value is a trough if it is below the second, the last one if it is below the one
      // before.
      const auto trough = k == 0 ? here < after : (here < before) & (here <= after);
      first_at = trough & (here < threshold) & (first_at < 0) ? at : first_at;
      const auto lower = here < least;
      least = lower ? here : least;
      least_at = lower ? at : least_at;
      before = here;
      here = after;
    }
    store<T, W>(chosen + lane, first_at < 0 ? least_at : first_at);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
