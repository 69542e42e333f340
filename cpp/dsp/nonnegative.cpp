#include "dsp/nonnegative.hpp"

#include <algorithm>
#include <cmath>

#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

static_assert(NonnegativeLeastSquares::lanes == simd::n_lanes);

NonnegativeLeastSquares::NonnegativeLeastSquares(View<const double> A, View<const double> start,
                                                 double curvature)
    : A_{A.data, A.rows, A.cols, nullptr, nullptr},
      start_(static_cast<std::size_t>(A.rows * simd::padded_bands(A.cols))),
      curvature_(curvature),
      first_(static_cast<std::size_t>(A.rows)),
      last_(static_cast<std::size_t>(A.rows)) {
  for (Index r = 0; r < A.rows; ++r) {
    const double* const row = A.row(0, r);
    Index first = 0, last = A.cols;
    while (first < last && row[first] == 0) ++first;
    while (last > first && row[last - 1] == 0) --last;
    first_.data()[r] = first;
    last_.data()[r] = last;
  }
  start_.zero();
  for (Index r = 0; r < A.rows; ++r)
    std::copy_n(start.data + r * A.cols, A.cols, start_.data() + r * simd::padded_bands(A.cols));
  A_.first = first_.data();
  A_.last = last_.data();
}

void NonnegativeLeastSquares::start(const double* b, double* x, double* slopes,
                                    double* scratch) const {
  const auto& kernels = simd::kernels().tonal().nonnegative;
  simd::lane_kernels<double>().dense(start_.data(), cols(), rows(), b, {x, lanes, lanes});
  for (Index i = 0; i < cols() * lanes; ++i) x[i] = std::max(x[i], 0.0);
  kernels.gradient(A_, x, b, scratch);
  kernels.projected_maxima(x, scratch, cols(), slopes);
}

void NonnegativeLeastSquares::descend(const double* b, double slope, Index max_steps,
                                      double* moving, double* x, double* scratch) const {
  const auto& kernels = simd::kernels().tonal().nonnegative;
  double* const z = scratch;
  double* const next = scratch + lanes * cols();
  std::copy_n(x, lanes * cols(), z);
  alignas(64) double distance[lanes], ahead[lanes], momentum[lanes];
  double weight[lanes];  // of Nesterov's sequence, from which the momentum follows
  std::fill_n(weight, lanes, 1.0);
  for (Index step = 0; step < max_steps; ++step) {
    kernels.gradient(A_, z, b, next);
    kernels.step(x, z, 1 / curvature_, cols(), next, distance, ahead);
    for (Index i = 0; i < lanes; ++i) {
      const double after = (1 + std::sqrt(1 + 4 * weight[i] * weight[i])) / 2;
      const bool anew = ahead[i] > 0;
      momentum[i] = anew ? 0 : (weight[i] - 1) / after;
      weight[i] = anew ? 1 : after;
    }
    kernels.extrapolate(next, momentum, moving, cols(), x, z);
    // A lane that has converged keeps its solution. So a problem's result does not depend on how
    // many steps the other problems in its block take.
    for (Index i = 0; i < lanes; ++i)
      if (distance[i] * curvature_ <= slope) moving[i] = 0;
    if (std::all_of(moving, moving + lanes, [](double on) { return on == 0; })) return;
  }
}

}  // namespace metalmom::dsp
