#include "ops/griffinlim.hpp"

#include <utility>

#include "base/buffer.hpp"
#include "base/workers.hpp"
#include "dsp/phases.hpp"

namespace metalmom::ops {

template <class T>
GriffinLim::Plan GriffinLim::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.S.size() == in.start.size(), "S.size", in.S.size(),
          "the size of the first estimate, " + std::to_string(in.start.size()));
  Plan plan;
  plan.inverse = Istft::plan<T>(params, {in.start, in.window});
  plan.n_iter = params.n_iter;
  plan.momentum = params.momentum;
  if (params.n_iter == 0) return plan;
  const FrameParams framing{params.n_fft, params.hop_length, params.center, params.pad_mode};
  plan.forward = plan_frames(framing, plan.inverse.batch, plan.inverse.n_samples,
                             static_cast<Index>(in.window.size()));
  require(plan.forward.n_frames == in.S.rows, "S.shape[-1]", in.S.rows,
          "the number of frames of the result, " + std::to_string(plan.forward.n_frames));
  return plan;
}

template GriffinLim::Plan GriffinLim::plan(const Params&, const In<float>&);
template GriffinLim::Plan GriffinLim::plan(const Params&, const In<double>&);

template <class T>
void GriffinLim::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  if (plan.n_iter == 0) return Istft::run_cpu<T>(plan.inverse, {in.start, in.window}, out);
  const auto size = static_cast<std::size_t>(in.S.size());
  Buffer<std::complex<T>> estimate(size), rebuilt(size), previous(size);
  previous.zero();
  const auto view = [&](const Buffer<std::complex<T>>& buffer) {
    return View<std::complex<T>>{buffer.data(), in.S.batch, in.S.rows, in.S.cols};
  };
  View<const std::complex<T>> current = in.start;
  for (Index iteration = 0; iteration < plan.n_iter; ++iteration) {
    Istft::run_cpu<T>(plan.inverse, {current, in.window}, out);
    Stft::run_cpu<T>(plan.forward, {out.y, in.window}, {view(rebuilt)});
    const auto factor = static_cast<T>(iteration == 0 ? 0 : plan.momentum / (1 + plan.momentum));
    parallel_for(in.S.batch * in.S.rows, 64, [&](Index first, Index last) {
      const Index at = first * in.S.cols, count = (last - first) * in.S.cols;
      dsp::update_phases(in.S.data + at, rebuilt.data() + at, previous.data() + at, factor, count,
                         estimate.data() + at);
    });
    std::swap(rebuilt, previous);
    current = view(estimate);
  }
  Istft::run_cpu<T>(plan.inverse, {current, in.window}, out);
}

template void GriffinLim::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void GriffinLim::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost GriffinLim::cost(const Plan& plan) {
  Cost cost = Istft::cost(plan.inverse);
  if (plan.n_iter == 0) return cost;
  const Cost forward = Stft::cost(plan.forward);
  const auto n = static_cast<double>(plan.n_iter);
  cost.flops += n * (cost.flops + forward.flops);
  cost.bytes += n * (cost.bytes + forward.bytes);
  return cost;
}

static_assert(Operation<GriffinLim>);

}  // namespace metalmom::ops
