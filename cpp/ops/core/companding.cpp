#include "ops/core/companding.hpp"

#include <cmath>

#include "base/workers.hpp"
#include "dsp/simd/tonal_kernels.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

// Values that one part of parallel work has at least.
constexpr Index grain = 1 << 16;

// Calls run(first, count) over all values, in parallel.
template <class F>
void for_each_part(const CompandingPlan& plan, F&& run) {
  parallel_for(plan.batch * plan.n_values, grain,
               [&](Index first, Index last) { run(first, last - first); });
}

}  // namespace

template <class T>
Companding::Plan Companding::plan(const Params& params, const CompandingInputs<T>& in) {
  check(params);
  require(std::isfinite(params.mu), "mu", params.mu, "finite");
  bool inside = true;
  for (const T value : in.x.flat()) inside = inside & (value >= T(-1)) & (value <= T(1));
  require(inside, "x", std::string_view("array"), "in the range [-1, +1] everywhere");
  return {params.mu, in.x.batch, in.x.cols};
}

Cost Companding::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n_values);
  return {plan.batch, 40 * values, 12 * values};
}

template <class T>
void MuCompress::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  for_each_part(plan, [&](Index first, Index count) {
    dsp::simd::companding_kernels<T>().compress(in.x.data + first, count, static_cast<T>(plan.mu),
                                                std::log1p(plan.mu), out.values.data + first);
  });
}

template <class T>
MuQuantize::Plan MuQuantize::plan(const Params& params, const In<T>& in) {
  require(in.edges.size() >= 2, "edges.size", std::ssize(in.edges), "at least 2");
  return Companding::plan<T>(params, in);
}

template <class T>
void MuQuantize::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index offset = static_cast<Index>(plan.mu + 1) / 2;
  for_each_part(plan, [&](Index first, Index count) {
    dsp::simd::companding_kernels<T>().quantize(
        in.x.data + first, count, static_cast<T>(plan.mu), std::log1p(plan.mu), in.edges.data(),
        std::ssize(in.edges), offset, out.values.data + first);
  });
}

template <class T>
void MuExpand::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  for_each_part(plan, [&](Index first, Index count) {
    dsp::simd::companding_kernels<T>().expand(in.x.data + first, count, plan.mu,
                                              std::log1p(plan.mu), out.values.data + first);
  });
}

template Companding::Plan Companding::plan(const Params&, const CompandingInputs<float>&);
template Companding::Plan Companding::plan(const Params&, const CompandingInputs<double>&);
METALMOM_INSTANTIATE_RUN(MuCompress);
METALMOM_INSTANTIATE_OP(MuQuantize);
METALMOM_INSTANTIATE_RUN(MuExpand);

}  // namespace metalmom::ops
