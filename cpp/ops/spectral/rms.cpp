#include "ops/spectral/rms.hpp"

#include <cmath>

#include "base/buffer.hpp"
#include "base/workers.hpp"

namespace metalmom::ops {

namespace {

// Sixteen sums, so that the loop vectorises and rounding grows with n / 16 only.
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

}  // namespace

template <class T>
void Rms::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.total_frames(), 64, [&](Index first, Index last) {
    static thread_local Scratch<T> scratch;
    T* const gathered = scratch.get(static_cast<std::size_t>(plan.params.n_fft));
    for (Index i = first; i < last; ++i) {
      const Index b = i / plan.n_frames, frame = i % plan.n_frames;
      const auto source = plan.source(in.y, b);
      const T* samples = dsp::frame_in_place(source, frame);
      if (!samples) {
        dsp::gather_frame(source, frame, gathered);
        samples = gathered;
      }
      const T sum = sum_of_squares(samples, plan.params.n_fft);
      out.rms.row(b)[frame] = std::sqrt(sum / static_cast<T>(plan.params.n_fft));
    }
  });
}

template void Rms::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void Rms::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost Rms::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.total_frames() * plan.params.n_fft);
  return {plan.total_frames(), 2 * values,
          4 * static_cast<double>(plan.batch * (plan.n_samples + plan.n_frames))};
}

static_assert(Operation<Rms>);

}  // namespace metalmom::ops
