// Sums over the bins of 16 magnitude spectra in lane layout: what spectral shapes are made of
// (centroid, bandwidth, rolloff, flatness, contrast).
//
// lanes[bin * 16 + frame]: a sum over bins is a vector addition, and the 16 sums of a block stay in
// registers. Moments are summed in double, since a centroid is a quotient of sums over 1025 bins;
// the rolloff is summed in T in the order of the bins, as the reference sums, because where it
// crosses its threshold is a decision. Flatness needs the mean logarithm: a product of mantissas
// with exponents counted apart, one logarithm a frame in place of one a bin. Contrast needs the
// smallest and greatest few values of a band: two short sorted lists, insertion by min and max.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Sixteen lanes in double, from either type.
struct DoubleLanes {
  static constexpr int W = native_width<double>, n = n_lanes / W;
  Vec<double, W> part[n];

  template <class T>
  [[gnu::always_inline]] static DoubleLanes load_from(const T* p) {
    DoubleLanes lanes;
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) lanes.part[i] = load_as<double, W>(p + i * W);
    return lanes;
  }
  [[gnu::always_inline]] void store_to(double* p) const {
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) store<double, W>(p + i * W, part[i]);
  }
};

template <class T>
void lane_moments(const T* lanes, Index n_bins, const double* freq, double* total, double* moment) {
  DoubleLanes sum = {}, weighted = {};
  for (Index bin = 0; bin < n_bins; ++bin) {
    const auto values = DoubleLanes::load_from(lanes + bin * n_lanes);
#pragma GCC unroll 8
    for (int i = 0; i < DoubleLanes::n; ++i) {
      sum.part[i] += values.part[i];
      weighted.part[i] += freq[bin] * values.part[i];
    }
  }
  sum.store_to(total);
  weighted.store_to(moment);
}

template <class T>
void lane_spreads(const T* lanes, Index n_bins, const double* freq, const double* centre,
                  double* spread) {
  const auto middle = DoubleLanes::load_from(centre);
  DoubleLanes sum = {};
  for (Index bin = 0; bin < n_bins; ++bin) {
    const auto values = DoubleLanes::load_from(lanes + bin * n_lanes);
#pragma GCC unroll 8
    for (int i = 0; i < DoubleLanes::n; ++i) {
      const auto deviation = freq[bin] - middle.part[i];
      sum.part[i] += values.part[i] * deviation * deviation;
    }
  }
  sum.store_to(spread);
}

// Sums in T and in the order of the bins, as librosa's cumulative sum does: where the sum crosses
// the threshold is a decision. It goes over the bins twice, which takes no memory for running sums.
template <class T>
void bins_below(const T* lanes, Index n_bins, T share, T* count) {
  constexpr int W = native_width<T>, n = n_lanes / W;
  using V = Vec<T, W>;
  V threshold[n] = {}, running[n] = {}, below[n] = {};
  for (Index bin = 0; bin < n_bins; ++bin)
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) threshold[i] += load<T, W>(lanes + bin * n_lanes + i * W);
  for (int i = 0; i < n; ++i) threshold[i] *= share;
  for (Index bin = 0; bin < n_bins; ++bin)
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) {
      running[i] += load<T, W>(lanes + bin * n_lanes + i * W);
      below[i] += running[i] < threshold[i] ? V{} + T(1) : V{};
    }
  for (int i = 0; i < n; ++i) store<T, W>(count + i * W, below[i]);
}

// Moves the exponent of a product into a count; the product is a mantissa in [1, 2) then.
template <int W>
[[gnu::always_inline]] inline void split_exponent(Vec<double, W>& product,
                                                  Vec<uint64_t, W>& exponent) {
  const auto bits = (Vec<uint64_t, W>)product;
  exponent += (bits >> 52) - 1023;
  product = (Vec<double, W>)((bits & 0xfffffffffffff) | 0x3ff0000000000000);
}

// Floats above 1e-70 can be multiplied four at a time before a double overflows or underflows.
template <class T, bool squared, int at_once>
[[gnu::always_inline]] inline void products_of(const T* lanes, Index n_bins, double floor,
                                               double* sum, double* product, double* exponent) {
  constexpr int W = DoubleLanes::W, n = DoubleLanes::n;
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  V total[n], mantissas[n];
  Bits exponents[n] = {};
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) total[i] = V{}, mantissas[i] = V{} + 1.0;
  const auto value_at = [&](Index bin, int i) __attribute__((always_inline)) {
    // Squares in T, as librosa does. A NaN fails the comparison and stays.
    const auto level = load<T, W>(lanes + bin * n_lanes + i * W);
    const V power = converted<double, W>(squared ? level * level : level);
    const V value = power < floor ? V{} + floor : power;
    total[i] += value;
    return value;
  };
  Index bin = 0;
  for (; bin + at_once <= n_bins; bin += at_once)
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) {
      V group = value_at(bin, i);
#pragma GCC unroll 4
      for (int k = 1; k < at_once; ++k) group *= value_at(bin + k, i);
      split_exponent<W>(group, exponents[i]);
      mantissas[i] *= group;
    }
  for (; bin < n_bins; ++bin)
    for (int i = 0; i < n; ++i) {
      V value = value_at(bin, i);
      split_exponent<W>(value, exponents[i]);
      mantissas[i] *= value;
    }
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) {
    store<double, W>(sum + i * W, total[i]);
    store<double, W>(product + i * W, mantissas[i]);
    store<double, W>(exponent + i * W, __builtin_convertvector((Vec<int64_t, W>)exponents[i], V));
  }
}

template <class T>
void power_products(const T* lanes, Index n_bins, bool squared, double floor, double* sum,
                    double* product, double* exponent) {
  constexpr int most = sizeof(T) == 4 ? 4 : 1;
  if (floor < 1e-70)
    (squared ? products_of<T, true, 1> : products_of<T, false, 1>)(lanes, n_bins, floor, sum,
                                                                   product, exponent);
  else
    (squared ? products_of<T, true, most> : products_of<T, false, most>)(lanes, n_bins, floor, sum,
                                                                         product, exponent);
}

// Inserts rows into two sorted lists of n_tail rows. Four new rows pass through the lists together,
// so that each entry is read and written once for four.
template <class T>
void sorted_tails(const T* lanes, Index n_rows, Index n_tail, T* least, T* greatest) {
  constexpr int W = native_width<T>, at_once = 4;
  using V = Vec<T, W>;
  for (int lane = 0; lane < n_lanes; lane += W) {
    const T* const in = lanes + lane;
    T *const low = least + lane, *const high = greatest + lane;
    for (Index k = 0; k < n_tail; ++k) {
      store<T, W>(low + k * n_lanes, V{} + T(__builtin_inf()));
      store<T, W>(high + k * n_lanes, V{} - T(__builtin_inf()));
    }
    for (Index row = 0; row < n_rows; row += at_once) {
      V up[at_once], down[at_once];
#pragma GCC unroll 4
      for (int i = 0; i < at_once; ++i) {
        const bool inside = row + i < n_rows;
        const V value = load<T, W>(in + (inside ? row + i : row) * n_lanes);
        up[i] = inside ? value : V{} + T(__builtin_inf());
        down[i] = inside ? value : V{} - T(__builtin_inf());
      }
      for (Index k = 0; k < n_tail; ++k) {
        V small = load<T, W>(low + k * n_lanes), great = load<T, W>(high + k * n_lanes);
#pragma GCC unroll 4
        for (int i = 0; i < at_once; ++i) {
          const V smaller_one = small < up[i] ? small : up[i];
          up[i] = small > up[i] ? small : up[i];
          small = smaller_one;
          const V greater_one = great > down[i] ? great : down[i];
          down[i] = great < down[i] ? great : down[i];
          great = greater_one;
        }
        store<T, W>(low + k * n_lanes, small);
        store<T, W>(high + k * n_lanes, great);
      }
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
