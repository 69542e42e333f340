// Values between the rows of a block of 16 frames, and weighted sums of them over harmonics: how a
// spectrum is read at multiples of a frequency (interp_harmonics, salience).
//
// Frames are lanes, rows are frequencies. Which two rows a frequency lies between, and how far from
// the lower, is the same for all frames and all blocks, so it is looked up once for the call
// (RowBetween); here remain two loads and a multiply-add a vector. Linear interpolation in double,
// as the reference interpolates. Salience counts peaks alone: rows that are above both neighbours,
// a comparison on the block that is loaded anyway.
//
// Source: Salamon and Gomez 2012, "Melody extraction from polyphonic music signals".
#pragma once

#include "dsp/simd/lanes.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
[[gnu::always_inline]] inline Block<double> row_between(const RowBetween& row, const T* lanes,
                                                        double fill) {
  constexpr int W = native_width<double>;
  Block<double> out;
#pragma GCC unroll 8
  for (int i = 0; i < out.n; ++i) {
    if (row.low < 0) {
      out.part[i] = Vec<double, W>{} + fill;
      continue;
    }
    const auto low = load_as<double, W>(lanes + row.low * n_lanes + i * W);
    const auto high = load_as<double, W>(lanes + row.high * n_lanes + i * W);
    out.part[i] = low + (high - low) * row.weight;
  }
  return out;
}

template <class T>
void rows_between(const RowBetween* rows, Index n, const T* lanes, double fill, double* out,
                  Index stride, Index count) {
  for (Index r = 0; r < n; ++r) {
    const Block<double> values = row_between(rows[r], lanes, fill);
    double* const to = out + r * stride;
    if (count == n_lanes) {
      store_block(to, values);
    } else {
      double rest[n_lanes];
      store_block(rest, values);
      for (Index i = 0; i < count; ++i) to[i] = rest[i];
    }
  }
}

// The rows of harmonic h begin at rows + h * n.
template <class T>
void sum_between(const RowBetween* rows, Index n, const double* weights, Index n_harmonics,
                 const T* lanes, bool peaks_only, double fill, double* out, Index stride,
                 Index count) {
  constexpr int W = native_width<double>;
  for (Index r = 0; r < n; ++r) {
    Block<double> sum = {};
    for (Index h = 0; h < n_harmonics; ++h)
      sum.add(weights[h], row_between(rows[h * n + r], lanes, 0));
    double* const to = out + r * stride;
    double rest[n_lanes];
    if (peaks_only) {
      const bool edge = r == 0 || r == n - 1;
#pragma GCC unroll 8
      for (int i = 0; i < sum.n; ++i) {
        const auto at = [&](Index k) {
          return load_as<double, W>(lanes + (edge ? r : k) * n_lanes + i * W);
        };
        const auto peak = (at(r) > at(r - 1)) & (at(r) > at(r + 1));
        sum.part[i] = peak ? sum.part[i] : Vec<double, W>{} + fill;
      }
    }
    if (count == n_lanes) {
      store_block(to, sum);
    } else {
      store_block(rest, sum);
      for (Index i = 0; i < count; ++i) to[i] = rest[i];
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
