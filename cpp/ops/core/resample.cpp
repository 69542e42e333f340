#include "ops/core/resample.hpp"

#include <algorithm>
#include <cmath>

#include "base/workers.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Resample::Plan Resample::plan(const Params& params, const In<T>& in) {
  check(params);
  const double from = params.orig_sr, to = params.target_sr;
  require(std::isfinite(from), "orig_sr", from, "a positive number");
  require(std::isfinite(to), "target_sr", to, "a positive number");
  dsp::require_rates(from, to, "target_sr", "orig_sr=");
  const Index n = in.y.cols;
  const Index made = dsp::made_length(n, from, to);
  const Index size = params.size < 0 ? made : params.size;
  return {params, in.y.batch, n, size, std::min(made, size)};
}

template <class T>
void Resample::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Params& params = plan.params;
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row)
      dsp::resample_signal(in.y.row(row), plan.n_samples, params.orig_sr, params.target_sr,
                           params.quality, out.y.row(row), plan.size);
  });
}

Cost Resample::cost(const Plan& plan) {
  // What libsoxr takes for a sample or a result, in operations of our kernels: transforms of blocks
  // where one rate is a multiple of the other, else sums of products, too (1.4 and 9 to 15 ns
  // beside 100 GFLOP/s).
  const double from = plan.params.orig_sr, to = plan.params.target_sr;
  const bool is_multiple = std::fmod(from, to) == 0 || std::fmod(to, from) == 0;
  const auto values = static_cast<double>(plan.batch * (plan.n_samples + plan.size));
  return {plan.batch * plan.size, (is_multiple ? 150 : 1000) * values, 4 * values};
}

METALMOM_INSTANTIATE_OP(Resample);

}  // namespace metalmom::ops
