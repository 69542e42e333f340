#include "ops/core/spline.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/spline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Spline::Plan Spline::plan(const Params&, const In<T>& in) {
  require(in.y.cols >= 4, "y.shape[-1]", in.y.cols, "at least 4");
  const auto last = static_cast<double>(in.y.cols - 1);
  for (const double position : in.positions)
    require(position >= 0 && position <= last, "positions", position,
            "from the first sample to the last");
  return {in.y.batch, in.y.cols, std::ssize(in.positions)};
}

template <class T>
void Spline::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    const Lent<double> y(plan.n_samples);
    for (Index b = first; b < last; ++b) {
      std::copy_n(in.y.row(b), plan.n_samples, y.data());
      dsp::spline_values({y.data(), static_cast<std::size_t>(plan.n_samples)}, in.positions,
                         out.values.row(b));
    }
  });
}

Cost Spline::cost(const Plan& plan) {
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  const auto values = static_cast<double>(plan.batch * plan.n_positions);
  return {plan.batch, 12 * samples + 16 * values, 8 * (samples + values)};
}

METALMOM_INSTANTIATE_OP(Spline);

}  // namespace metalmom::ops
