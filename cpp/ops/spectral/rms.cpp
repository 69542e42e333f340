#include "ops/spectral/rms.hpp"

#include <cmath>

#include "base/workspace.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

// Sixteen sums: the loop vectorises, and rounding errors grow with n / 16 only.
template <class T>
T sum_of_squares(const T* x, Index n) {
  T sum[16] = {};
  const Index whole = n / 16 * 16;
  for (Index i = 0; i < whole; i += 16)
    for (Index lane = 0; lane < 16; ++lane) sum[lane] += x[i + lane] * x[i + lane];
  for (Index i = whole; i < n; ++i) sum[i - whole] += x[i] * x[i];
  T total = 0;
  for (const T each : sum) total += each;
  return total;
}

template <class T>
class RmsConsumer final : public Consumer<T> {
 public:
  RmsConsumer(const Rms::Plan& plan, const Rms::In<T>& in, const Rms::Out<T>& out)
      : Consumer<T>("rms", plan, in.y, {}, {.value = Tap::Value::samples}), rms_(out.rms) {}

  void consume(const Block& block, const T*, Index, T*) override {
    const auto source = this->frames().source(this->y(), block.b);
    const Lent<T> gathered(source.n_fft);
    for (Index frame = block.first; frame < block.first + block.count; ++frame) {
      const T* samples = dsp::frame_in_place(source, frame);
      if (!samples) {
        dsp::gather_frame(source, frame, gathered.data());
        samples = gathered;
      }
      const T sum = sum_of_squares(samples, source.n_fft);
      rms_.row(block.b)[frame] = std::sqrt(sum / static_cast<T>(source.n_fft));
    }
  }

 private:
  View<T> rms_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> Rms::consumer(const Plan& plan, const In<T>& in, const Out<T>& out) {
  return std::make_unique<RmsConsumer<T>>(plan, in, out);
}

template <class T>
void Rms::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  RmsConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost Rms::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.total_frames() * plan.params.n_fft);
  return {plan.total_frames(), 2 * values,
          4 * static_cast<double>(plan.batch * (plan.n_samples + plan.n_frames))};
}

METALMOM_INSTANTIATE_FRAME_OP(Rms);

}  // namespace metalmom::ops
