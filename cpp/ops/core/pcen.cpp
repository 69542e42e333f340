#include "ops/core/pcen.hpp"

#include "base/workers.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Pcen::Plan Pcen::plan(const Params& params, const In<T>& in) {
  check(params);
  // a DeviceArray has a size but no pointer
  const bool given_ref = in.ref.data || in.ref.size() > 0;
  require(!given_ref || in.ref.size() == in.S.size(), "ref.size", in.ref.size(),
          "the size of S, " + std::to_string(in.S.size()));
  const auto n_state = static_cast<Index>(in.state.size());
  require(n_state == 1 || n_state == in.S.batch, "zi.size", n_state,
          "1 or the number of rows, " + std::to_string(in.S.batch));
  return {params, in.S.batch, in.S.cols, given_ref};
}

template <class T>
void Pcen::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const View<const T>& ref = plan.given_ref ? in.ref : in.S;
  parallel_for(plan.rows, 8, [&](Index first, Index last) {
    double* const state = out.state.row(first);
    for (Index row = first; row < last; ++row)
      state[row - first] = in.state[in.state.size() == 1 ? 0 : static_cast<std::size_t>(row)];
    const Index count = plan.n_frames;
    dsp::smooth_energies(ref.row(first), last - first, count, plan.params.b, state,
                         out.energy.row(first));
    for (Index row = first; row < last; ++row)
      dsp::compress_energy(plan.params, in.S.row(row), out.energy.row(row), count,
                           out.energy.row(row));
  });
}

Cost Pcen::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.rows * plan.n_frames);
  return {plan.n_frames, 60 * values, 12 * values};
}

METALMOM_INSTANTIATE_OP(Pcen);

}  // namespace metalmom::ops
