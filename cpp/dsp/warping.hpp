// Dynamic time warping (Sakoe and Chiba 1978, "Dynamic programming algorithm optimization for
// spoken word recognition"; Mueller 2015, "Fundamentals of music processing").
//
// The steps that were taken are not kept: the way back finds the one of each cell on the path again
// from the accumulated costs, with the same additions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dsp/distances.hpp"

namespace metalmom::dsp {

using simd::WarpStep;

struct WarpRule {
  std::span<const WarpStep> steps;  // at least one; none is (0, 0)
  bool subsequence = false;         // the path may start and end at any column
  Index lower = INT64_MIN / 2;      // cells with lower < m - n < upper may be on the path
  Index upper = INT64_MAX / 2;

  Index reach_rows() const;
  Index reach_cols() const;
};

// The cost of each cell: given as a matrix, or the distance between frame n of x and frame m of y.
class WarpCosts {
 public:
  WarpCosts(const double* given, Index n_rows, Index n_cols)
      : given_(given), n_rows_(n_rows), n_cols_(n_cols) {}
  WarpCosts(Metric metric, const Frames& x, const Frames& y);

  Index n_rows() const { return n_rows_; }
  Index n_cols() const { return n_cols_; }
  double at(Index n, Index m) const;
  // Rows [first, first + count), and in `stride` the distance from one to the next. Rows that are
  // not given are computed into `scratch`.
  const double* rows(Index first, Index count, const WarpRule& rule, Index first_row,
                     Buffer<double>& scratch, Index& stride) const;

 private:
  const double* given_ = nullptr;
  Index n_rows_, n_cols_;
  Metric metric_ = Metric::euclidean;
  Frames x_, y_;
  Buffer<double> x_norms_;
  std::optional<PackedFrames> packed_;
};

// Accumulates the rows of `costs`, which are the rows from first_row on of the whole matrix.
// `before`: the rows right above them, min(first_row, reach_rows) of them. Throws ParameterError if
// a cost is NaN.
void accumulate_costs(const WarpCosts& costs, const WarpRule& rule, Index first_row,
                      const double* before, double* total);

// The cells of the best path that ends in the last row at column `end`, the last cell first; rows
// are counted from the first of `costs` and `total`. `path` has room for n_rows + n_cols pairs. If
// there are rows above these, the path stops where the steps may lead there. Returns the number of
// cells.
Index warp_path(const WarpCosts& costs, const WarpRule& rule, Index first_row, const double* total,
                Index end, Index* path);

// For every cell first_code + the number of the step that leads into it, 0 if there is none.
void warp_steps(const WarpCosts& costs, const WarpRule& rule, const double* total, Index first_code,
                std::int32_t* steps);

}  // namespace metalmom::dsp
