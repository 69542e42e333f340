#include "ops/core/stft.hpp"

#include <cmath>

#include "base/stage.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

double fft_flops(Index n) {
  const auto size = static_cast<double>(n);
  return 2.5 * size * std::log2(std::max(size, 2.0));
}

namespace {

template <class T>
class StftConsumer final : public Consumer<T> {
 public:
  StftConsumer(const Stft::Plan& plan, const Stft::In<T>& in, const Stft::Out<T>& out)
      : Consumer<T>("stft", plan, in.y, in.window, {.value = Tap::Value::samples}),
        transform_(dsp::frame_transform<double>(plan.params.n_fft, in.window)),
        spectrum_(out.spectrum) {}

  void consume(const Block& block, const T*, Index, T*) override {
    const Stage stage(stage::transform);
    transform_->spectra(this->frames().source(this->y(), block.b), block.first, block.count,
                        spectrum_.row(block.b, block.first));
  }

 private:
  std::shared_ptr<const dsp::FrameTransform<double>> transform_;
  View<std::complex<T>> spectrum_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> Stft::consumer(const Plan& plan, const In<T>& in, const Out<T>& out) {
  return std::make_unique<StftConsumer<T>>(plan, in, out);
}

template <class T>
void Stft::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  StftConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost Stft::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.total_frames());
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.total_frames(),
          frames * (fft_flops(plan.params.n_fft) + static_cast<double>(plan.params.n_fft)),
          4 * samples + 8 * frames * static_cast<double>(plan.n_bins)};
}

METALMOM_INSTANTIATE_FRAME_OP(Stft);

}  // namespace metalmom::ops
