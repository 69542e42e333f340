#include "ops/segment/agglomerate.hpp"

#include "dsp/agglomerate.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Agglomerate::Plan Agglomerate::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.data.rows >= 2, "data.shape[axis]", in.data.rows, "at least 2 frames");
  require(params.k <= in.data.rows, "k", params.k,
          "at most the number of frames, " + std::to_string(in.data.rows));
  require_finite<double>(in.data.flat());
  return {params, in.data.rows, in.data.cols};
}

template <class T>
void Agglomerate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  dsp::agglomerate({in.data.data, plan.n, plan.n_features}, plan.params.k, out.starts.data);
}

Cost Agglomerate::cost(const Plan& plan) {
  const auto merges = static_cast<double>(plan.n - plan.params.k + 1);
  return {plan.n, merges * 8 * static_cast<double>(plan.n_features), 16 * merges};
}

METALMOM_INSTANTIATE_OP(Agglomerate);

}  // namespace metalmom::ops
