// Dynamic time warping (Sakoe and Chiba 1978, "Dynamic programming algorithm optimization for spoken
// word recognition"; Mueller 2015, "Fundamentals of music processing").
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

// What a cell of the path costs: given, or the distance of frames n of x and m of y.
class WarpCosts {
 public:
  WarpCosts(const double* given, Index n_rows, Index n_cols)
      : given_(given), n_rows_(n_rows), n_cols_(n_cols) {}
  WarpCosts(Metric metric, const Frames& x, const Frames& y);

  Index n_rows() const { return n_rows_; }
  Index n_cols() const { return n_cols_; }
  double at(Index n, Index m) const;
  // Rows [first, first + count) and the distance from one to the next; `scratch` holds them where
  // they are not given.
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

// Accumulated costs of all rows of `costs`, which are rows first_row ... of the whole. `before`: the
// last rows above them, min(first_row, reach_rows) of them. Throws ParameterError where a cost is
// not a number.
void accumulate_costs(const WarpCosts& costs, const WarpRule& rule, Index first_row,
                      const double* before, double* total);

// Cells of the best path that ends in the last row at column `end`, from its end, rows counted from
// the first of `costs` and `total`; room for n_rows + n_cols pairs. Where these begin at a later row
// than the first, the path ends where the steps may reach above them. Returns how many cells it has.
Index warp_path(const WarpCosts& costs, const WarpRule& rule, Index first_row, const double* total,
                Index end, Index* path);

// first_code + step_into of every cell, 0 where none leads.
void warp_steps(const WarpCosts& costs, const WarpRule& rule, const double* total,
                Index first_code, std::int32_t* steps);

}  // namespace metalmom::dsp
