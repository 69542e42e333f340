#include "ops/core/griffinlim.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/phases.hpp"
#include "ops/instantiate.hpp"

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

template <class T>
void GriffinLim::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  if (plan.n_iter == 0) return Istft::run_cpu<T>(plan.inverse, {in.start, in.window}, out);
  const auto transform = dsp::frame_transform<double>(plan.forward.params.n_fft, in.window);
  const Index n_frames = plan.forward.n_frames, n_bins = plan.forward.n_bins;
  const auto size = static_cast<std::size_t>(in.S.size());
  Buffer<std::complex<T>> estimate(size), previous(size);
  previous.zero();
  View<const std::complex<T>> current = in.start;
  for (Index iteration = 0; iteration < plan.n_iter; ++iteration) {
    Istft::run_cpu<T>(plan.inverse, {current, in.window}, out);
    const auto factor = static_cast<T>(iteration == 0 ? 0 : plan.momentum / (1 + plan.momentum));
    // Frame by frame, so that the rebuilt spectrum is still in cache when the phases are updated.
    parallel_for(plan.forward.total_frames(), 16, [&](Index first, Index last) {
      const Stage stage("window+FFT+phases");
      const Lent<std::complex<T>> rebuilt(n_bins);
      for (Index i = first; i < last; ++i) {
        const Index b = i / n_frames;
        transform->spectra(plan.forward.source(View<const T>(out.y), b), i % n_frames, 1,
                           rebuilt.data());
        dsp::update_phases(in.S.data + i * n_bins, rebuilt.data(), previous.data() + i * n_bins,
                           factor, n_bins, estimate.data() + i * n_bins);
        std::copy_n(rebuilt.data(), n_bins, previous.data() + i * n_bins);
      }
    });
    current = {estimate.data(), in.S.batch, in.S.rows, in.S.cols};
  }
  Istft::run_cpu<T>(plan.inverse, {current, in.window}, out);
}

Cost GriffinLim::cost(const Plan& plan) {
  Cost cost = Istft::cost(plan.inverse);
  if (plan.n_iter == 0) return cost;
  const Cost forward = Stft::cost(plan.forward);
  const auto n = static_cast<double>(plan.n_iter);
  cost.flops += n * (cost.flops + forward.flops);
  cost.bytes += n * (cost.bytes + forward.bytes);
  return cost;
}

METALMOM_INSTANTIATE_OP(GriffinLim);

}  // namespace metalmom::ops
