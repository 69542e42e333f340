#include "ops/effects/one_pole.hpp"

#include "base/workers.hpp"
#include "dsp/one_pole.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
OnePole::Plan OnePole::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.start.size() == in.y.batch, "start.size", in.start.size(),
          "the number of signals, " + std::to_string(in.y.batch));
  return {params.coef, in.y.batch, in.y.cols};
}

template <class T>
void OnePole::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      dsp::one_pole(in.y.row(b), plan.n_samples, plan.coef, in.start.data[b], out.y.row(b));
  });
}

Cost OnePole::cost(const Plan& plan) {
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.batch * plan.n_samples, 4 * samples, 8 * samples};
}

METALMOM_INSTANTIATE_OP(OnePole);

}  // namespace metalmom::ops
