#include "ops/effects/convolve.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Convolve::Plan Convolve::plan(const Params& params, const In<T>& in) {
  check(params);
  const Index n = in.x.cols, m = in.h.cols;
  require(n > 0, "x.size", n, "at least one sample");
  require(m > 0, "h.size", m, "at least one sample");
  require(in.h.batch == 1 || in.h.batch == in.x.batch, "h.batch", in.h.batch,
          "1, or the number of signals, " + std::to_string(in.x.batch));
  Plan plan{params, in.x.batch, n, m, in.h.batch > 1};
  plan.n_results = n + m - 1;
  if (params.mode == ConvolveMode::same) {
    plan.first = (m - 1) / 2;
    plan.n_results = n;
  } else if (params.mode == ConvolveMode::valid) {
    plan.first = std::min(n, m) - 1;
    plan.n_results = std::abs(n - m) + 1;
  }
  plan.on_cpu = plan_convolve(std::max(n, m), std::min(n, m), params.method);
  return plan;
}

Cost Convolve::cost(const Plan& plan) {
  // Expected times are those of one core, whose kernels do so many operations in a microsecond.
  constexpr double flops_of_us = 1e5;
  const ConvolvePlan& way = plan.on_cpu;
  const double us = way.method == ConvolveMethod::direct ? way.direct_us : way.blocks_us;
  const auto batch = static_cast<double>(plan.batch);
  const auto responses = plan.own_responses ? batch : 1.0;
  return {plan.batch * plan.n_results, flops_of_us * us * batch,
          4 * (batch * static_cast<double>(plan.n_samples + plan.n_results) +
               responses * static_cast<double>(plan.n_taps))};
}

METALMOM_INSTANTIATE_PLAN(Convolve);
static_assert(Operation<Convolve>);

}  // namespace metalmom::ops
