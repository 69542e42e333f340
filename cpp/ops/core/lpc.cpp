#include "ops/core/lpc.hpp"

#include "base/workers.hpp"
#include "dsp/linear_prediction.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Lpc::Plan Lpc::plan(const Params& params, const In<T>& in) {
  check(params);
  require(params.order < in.y.cols, "order", params.order,
          "less than the number of samples, " + std::to_string(in.y.cols));
  return {params.order, in.y.batch, in.y.cols};
}

template <class T>
void Lpc::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      dsp::linear_prediction<T>({in.y.row(b), static_cast<std::size_t>(plan.n_samples)}, plan.order,
                                out.coefficients.row(b));
  });
}

Cost Lpc::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n_samples);
  const auto order = static_cast<double>(plan.order);
  return {plan.batch, 6 * values * order, 4 * values};
}

METALMOM_INSTANTIATE_OP(Lpc);

}  // namespace metalmom::ops
