#include "ops/rhythm/peak_pick.hpp"

#include "base/workers.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
void PeakPick::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 16, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      dsp::pick_peaks<T>({in.x.row(b), static_cast<std::size_t>(plan.n)}, plan.params,
                         plan.params.method, out.peaks.row(b));
  });
}

Cost PeakPick::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n);
  const auto& rule = plan.params;
  const auto window =
      static_cast<double>(rule.pre_max + rule.post_max + rule.pre_avg + rule.post_avg);
  return {plan.batch * plan.n, values * window, 5 * values};
}

METALMOM_INSTANTIATE_RUN(PeakPick);

}  // namespace metalmom::ops
