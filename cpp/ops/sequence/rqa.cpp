#include "ops/sequence/rqa.hpp"

#include "base/error_parts.hpp"
#include "base/workers.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Rqa::Plan Rqa::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.sim.size() > 0, "sim.size", in.sim.size(), "at least 1");
  bool numbers = true;
  for (const T value : in.sim.flat()) numbers &= value == value;
  if (!numbers) throw ArgumentError({.name = "sim", .rule = "NaN in places", .verb = "is"});
  return {params, in.sim.batch, in.sim.rows, in.sim.cols};
}

template <class T>
void Rqa::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) {
      dsp::recurrence_scores(in.sim.row(b), plan.n_rows, plan.n_cols, plan.params,
                             out.score.row(b));
      *out.length.row(b) = dsp::recurrence_path(in.sim.row(b), out.score.row(b), plan.n_rows,
                                                plan.n_cols, plan.params, out.path.row(b));
    }
  });
}

Cost Rqa::cost(const Plan& plan) {
  const auto cells = static_cast<double>(plan.batch * plan.n_rows * plan.n_cols);
  return {plan.batch * plan.n_rows, 9 * cells, 8 * cells};
}

METALMOM_INSTANTIATE_OP(Rqa);

}  // namespace metalmom::ops
