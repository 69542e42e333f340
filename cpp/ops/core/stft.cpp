#include "ops/core/stft.hpp"

#include <cmath>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "dsp/frame_transform.hpp"

namespace metalmom::ops {

double fft_flops(Index n) {
  const auto size = static_cast<double>(n);
  return 2.5 * size * std::log2(std::max(size, 2.0));
}

template <class T>
void Stft::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto transform = dsp::frame_transform<double>(plan.params.n_fft, in.window);
  parallel_for(plan.total_frames(), 16, [&](Index first, Index last) {
    const Stage stage(stage::transform);
    while (first < last) {
      const Index b = first / plan.n_frames, frame = first % plan.n_frames;
      const Index count = std::min(last - first, plan.n_frames - frame);
      transform->spectra(plan.source(in.y, b), frame, count, out.spectrum.row(b, frame));
      first += count;
    }
  });
}

template void Stft::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void Stft::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost Stft::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.total_frames());
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.total_frames(),
          frames * (fft_flops(plan.params.n_fft) + static_cast<double>(plan.params.n_fft)),
          4 * samples + 8 * frames * static_cast<double>(plan.n_bins)};
}

static_assert(Operation<Stft>);

}  // namespace metalmom::ops
