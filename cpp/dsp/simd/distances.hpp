// Distances of points to blocks of 16 points: for nearest neighbours and for warping.
//
// The points a lie one after the other, features side by side; the points b lie in blocks with one
// point a lane, so a feature of 16 of them is one or a few vectors. Four points a, or eight where
// registers are many, share what is loaded of a block: their sums stay in registers over all
// features.
//
// Every sum runs over the features in their order, as a scalar loop's would: equal points have
// equal distances, whatever their place in a block, and ties fall as they do in the reference. For
// the same reason this is compiled without contraction (decisions.cpp). With it (kernels.cpp) it
// serves for many features alone, where the reference's own sums are rounded in another order.
#pragma once

#include "dsp/simd/decisions.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <Metric metric, class V>
[[gnu::always_inline]] inline V accumulated(V sum, V a, V b) {
  if constexpr (metric == Metric::cosine) return sum + a * b;
  const V d = a - b;
  if constexpr (metric == Metric::euclidean || metric == Metric::sqeuclidean) return sum + d * d;
  const V magnitude = d < 0 ? -d : d;
  if constexpr (metric == Metric::cityblock) return sum + magnitude;
  return sum > magnitude ? sum : magnitude;
}

template <Metric metric, class V>
[[gnu::always_inline]] inline V finished(V sum, double a_norm, const double* b_norms) {
  if constexpr (metric == Metric::euclidean) return square_root(sum);
  if constexpr (metric == Metric::cosine) {
    V cosine = sum / (a_norm * load<double, native_width<double>>(b_norms));
    cosine = cosine > 1 ? V{} + 1 : cosine;
    return 1 - (cosine < -1 ? V{} - 1 : cosine);
  }
  return sum;
}

// `rows` points with one block: their sums stay in registers.
template <Metric metric, int rows>
[[gnu::always_inline]] inline void block_distances(const PointBlocks& points, Index first,
                                                   Index block, double* out, Index stride) {
  constexpr int W = native_width<double>, parts = 16 / W;
  // Half a block of b at a time where there are few registers.
  constexpr int at_once = rows * parts > 16 ? 2 : parts;
  const Index n = points.n_features;
  const double* a = points.a + first * n;
  for (int part = 0; part < parts; part += at_once) {
    const double* b = points.blocks + block * n * 16 + part * W;
    Vec<double, W> sums[rows][at_once] = {};
    for (Index k = 0; k < n; ++k) {
      Vec<double, W> values[at_once];
#pragma GCC unroll 8
      for (int i = 0; i < at_once; ++i) values[i] = load<double, W>(b + k * 16 + i * W);
#pragma GCC unroll 8
      for (int r = 0; r < rows; ++r) {
        const Vec<double, W> value = broadcast<double, W>(a[r * n + k]);
#pragma GCC unroll 8
        for (int i = 0; i < at_once; ++i)
          sums[r][i] = accumulated<metric>(sums[r][i], value, values[i]);
      }
    }
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < at_once; ++i) {
        const Index lane = block * 16 + (part + i) * W;
        store<double, W>(
            out + (first + r) * stride + lane,
            finished<metric>(sums[r][i], points.a_norms[first + r], points.b_norms + lane));
      }
  }
}

template <Metric metric>
void all_distances(const PointBlocks& points, double* out, Index stride) {
  constexpr int rows = vector_bytes == 64 ? 8 : 4;
  for (Index block = 0; block < points.n_blocks; ++block) {
    Index first = 0;
    for (; first + rows <= points.n_points; first += rows)
      block_distances<metric, rows>(points, first, block, out, stride);
    for (; first < points.n_points; ++first)
      block_distances<metric, 1>(points, first, block, out, stride);
  }
}

void distances(Metric metric, const PointBlocks& points, double* out, Index stride) {
  switch (metric) {
    case Metric::euclidean:
      return all_distances<Metric::euclidean>(points, out, stride);
    case Metric::sqeuclidean:
      return all_distances<Metric::sqeuclidean>(points, out, stride);
    case Metric::cityblock:
      return all_distances<Metric::cityblock>(points, out, stride);
    case Metric::chebyshev:
      return all_distances<Metric::chebyshev>(points, out, stride);
    case Metric::cosine:
      return all_distances<Metric::cosine>(points, out, stride);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
