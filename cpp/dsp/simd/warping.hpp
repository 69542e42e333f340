// Accumulated costs of dynamic time warping (Sakoe and Chiba 1978; Mueller, Fundamentals of Music
// Processing, section 3.2).
//
// A cell is its cost and the least of three neighbours' totals: its left neighbour is needed first,
// so a row is a chain of additions, as long as the row times the latency of one. Rows below wait
// for it. So eight rows go together, each a column behind the one above it: eight chains beside
// each other, which fill the waiting. Any other set of steps goes row by row: steps from rows above
// are vectors, those within the row come last, one column after the other.
//
// Compiled without contraction: ties decide paths.
#pragma once

#include "dsp/simd/decisions.hpp"

namespace metalmom::dsp::simd {
namespace {

[[gnu::always_inline]] inline double least(double a, double b) {
  return a < b ? a : b;
}

// Eight rows in work, each a column behind the one above it. What a row needs of the row above it
// are that row's totals of one and of two columns ago.
struct WarpFront {
  static constexpr int n = 8;
  double left[n];      // the latest total of each row
  double diagonal[n];  // of the row above, at the column before
  const double* cost;
  Index cost_stride;
  const double* above;
  double* total;
  Index stride;

  template <bool guarded>
  [[gnu::always_inline]] inline void advance(Index step, Index n_cols) {
#pragma GCC unroll 8
    for (int r = n - 1; r >= 0; --r) {
      const Index m = step - r;
      if (guarded && (m < 0 || m >= n_cols)) continue;
      const double up = r > 0 ? left[r > 0 ? r - 1 : 0] : above[m];
      const double best = least(least(diagonal[r], left[r]), up);
      diagonal[r] = up;
      left[r] = best + cost[r * cost_stride + m];
      total[r * stride + m] = left[r];
    }
  }
};

void warp_eight_rows(const double* cost, Index cost_stride, const double* above, double corner,
                     Index n_cols, double* total, Index stride) {
  WarpFront front{{}, {}, cost, cost_stride, above, total, stride};
  for (int r = 0; r < front.n; ++r) front.left[r] = front.diagonal[r] = __builtin_inf();
  front.diagonal[0] = corner;
  const Index n_steps = n_cols + front.n - 1;
  Index step = 0;
  for (; step < n_steps && step < front.n - 1; ++step) front.advance<true>(step, n_cols);
  for (; step < n_cols; ++step) front.advance<false>(step, n_cols);
  for (; step < n_steps; ++step) front.advance<true>(step, n_cols);
}

void warp_row(const WarpStep* steps, Index n_steps, const double* cost, const double* const* above,
              Index n_cols, double* __restrict total) {
  for (Index s = 0; s < n_steps; ++s) {
    const WarpStep step = steps[s];
    if (step.rows > 0) {
      const double* const from = above[step.rows] - step.cols;
      for (Index m = 0; m < n_cols; ++m) {
        const double through = from[m] + (step.weight * cost[m] + step.penalty);
        total[m] = through < total[m] ? through : total[m];
      }
      continue;
    }
    // Steps within the row, all of them together: each column needs the final values of those
    // before it.
    for (Index m = 0; m < n_cols; ++m)
      for (Index t = s; t < n_steps; ++t) {
        const double through =
            total[m - steps[t].cols] + (steps[t].weight * cost[m] + steps[t].penalty);
        total[m] = through < total[m] ? through : total[m];
      }
    return;
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
