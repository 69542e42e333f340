// Non-negative least squares: x >= 0 with the least |A x - b|, for many b at once.
#pragma once

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp {

// Right-hand sides come in blocks of 16, one a lane: b is (rows of A, 16), x (columns of A, 16). A
// lane's result does not depend on the other lanes.
class NonnegativeLeastSquares {
 public:
  static constexpr Index lanes = 16;

  // `start`: the transposed pseudo-inverse of A, of A's shape. `curvature`: the largest eigenvalue
  // of A^T A. Both matrices must outlive this.
  NonnegativeLeastSquares(View<const double> A, View<const double> start, double curvature);

  Index rows() const { return A_.n_rows; }
  Index cols() const { return A_.n_cols; }
  Index scratch_size() const { return 2 * lanes * cols(); }

  // The least-squares solution with its negative values set to zero. `slopes`: for each lane the
  // largest element of the gradient A^T (A x - b), without those that only the bound x >= 0 holds
  // back.
  void start(const double* b, double* x, double* slopes, double* scratch) const;

  // Continues from x until that element is at most `slope`, or for `max_steps` steps, in the lanes
  // whose `moving` is not 0. Projected gradients with Nesterov's momentum, which starts again where
  // it leads uphill (Beck and Teboulle 2009; O'Donoghue and Candes 2015).
  void descend(const double* b, double slope, Index max_steps, double* moving, double* x,
               double* scratch) const;

 private:
  simd::BandedMatrix A_;
  Buffer<double> start_;  // as a dense product reads it
  double curvature_;
  Buffer<Index> first_, last_;
};

}  // namespace metalmom::dsp
