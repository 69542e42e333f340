#include "ops/core/sliding_sums.hpp"

#include "base/workers.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
SlidingSums::Plan SlidingSums::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto n_weights = static_cast<Index>(in.weights.size());
  require(n_weights >= 1 && n_weights <= in.x.cols, "weights.size", n_weights,
          "positive and at most the values of a row, " + std::to_string(in.x.cols));
  return {in.x.batch, in.x.cols - n_weights + 1, n_weights};
}

template <class T>
void SlidingSums::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.rows, 16, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row)
      dsp::simd::value_kernels<T>().sliding_sums(in.x.row(row), in.weights.data(), plan.n_weights,
                                                 plan.n_sums, out.sums.row(row));
  });
}

Cost SlidingSums::cost(const Plan& plan) {
  const auto sums = static_cast<double>(plan.rows * plan.n_sums);
  return {plan.n_sums, 2 * sums * static_cast<double>(plan.n_weights), 8 * sums};
}

METALMOM_INSTANTIATE_OP(SlidingSums);

}  // namespace metalmom::ops
