#include "ops/core/istft.hpp"

#include <algorithm>
#include <limits>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Istft::Plan Istft::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto win_length = static_cast<Index>(in.window.size());
  require(win_length >= 1 && win_length <= params.n_fft, "win_length", win_length,
          "between 1 and n_fft=" + std::to_string(params.n_fft));
  Plan plan{params, in.spectrum.batch, params.n_fft / 2 + 1, in.spectrum.rows, 0, 0, 0};
  require(in.spectrum.cols == plan.n_bins, "stft_matrix.shape[-2]", in.spectrum.cols,
          "1 + n_fft // 2 = " + std::to_string(plan.n_bins));
  require(plan.stored_frames >= 1, "stft_matrix.shape[-1]", plan.stored_frames, "at least 1");
  const Index margin = 2 * plan.start();
  plan.sum_frames = plan.stored_frames;
  if (params.length > 0)
    plan.sum_frames =
        std::min(plan.stored_frames, ceil_div(params.length + margin, params.hop_length));
  // Frames that begin in the padding are always added, even if `length` does not need them.
  const Index head = params.center ? ceil_div(params.n_fft / 2, params.hop_length) : 0;
  plan.n_frames = std::max(plan.sum_frames, std::min(head, plan.stored_frames));
  require(params.hop_length <= (Index{1} << 47) / plan.sum_frames, "hop_length", params.hop_length,
          "small enough for the result to fit into memory");
  plan.n_samples = params.length > 0
                       ? params.length
                       : params.n_fft + params.hop_length * (plan.sum_frames - 1) - margin;
  require(plan.n_samples >= 1, "stft_matrix.shape[-1]", plan.stored_frames,
          "enough frames for one sample");
  return plan;
}

template <class T>
void Istft::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index n_fft = plan.params.n_fft, hop = plan.params.hop_length, start = plan.start();
  const auto transform = dsp::frame_transform<T>(n_fft, in.window);
  const WindowSum<T> sums(in.window, n_fft, hop, plan.sum_frames);
  // Parts are ranges of output samples. A frame over a border is transformed on both sides of it,
  // and every sample adds its frames in order: the result does not depend on the parts.
  const Index grain = std::max<Index>(64 * hop, 4 * n_fft);
  const Index parts = ceil_div(plan.n_samples, grain);
  parallel_for(plan.batch * parts, 1, [&](Index first, Index last) {
    for (Index part = first; part < last; ++part) {
      const Index b = part / parts;
      const Index begin = part % parts * grain + start;
      const Index end = std::min(begin + grain, plan.n_samples + start);
      T* y = out.y.row(b) + (begin - start);
      std::fill(y, y + (end - begin), T(0));
      const Index first_frame = begin < n_fft ? 0 : (begin - n_fft) / hop + 1;
      const Index last_frame = std::min(plan.n_frames, (end - 1) / hop + 1);
      {
        const Stage stage(stage::inverse);
        if (first_frame < last_frame)
          transform->overlap_add(in.spectrum.row(b, first_frame), last_frame - first_frame,
                                 first_frame * hop - begin, hop, end - begin, y);
      }
      const Stage stage(stage::store);
      sums.divide(begin, end, y);
    }
  });
}

Cost Istft::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  return {plan.batch * plan.n_frames,
          frames * (fft_flops(plan.params.n_fft) + 2 * static_cast<double>(plan.params.n_fft)),
          8 * frames * static_cast<double>(plan.n_bins) +
              4 * static_cast<double>(plan.batch * plan.n_samples)};
}

template <class T>
WindowSum<T>::WindowSum(std::span<const double> window, Index n_fft, Index hop_length,
                        Index n_frames)
    : n_fft_(n_fft),
      hop_length_(hop_length),
      n_frames_(n_frames),
      squares_(n_fft, 0.0),
      steady_(std::min(hop_length, n_fft), T(1)) {
  const auto left = (static_cast<std::size_t>(n_fft) - window.size()) / 2;
  for (std::size_t i = 0; i < window.size(); ++i) squares_[left + i] = window[i] * window[i];
  for (Index phase = 0; phase < std::ssize(steady_); ++phase) {
    double sum = 0;
    for (Index i = phase; i < n_fft; i += hop_length) sum += squares_[i];
    steady_[phase] = divisor(sum);
  }
}

template <class T>
T WindowSum<T>::divisor(double sum) const {
  const T rounded = static_cast<T>(sum);
  return rounded > std::numeric_limits<T>::min() ? rounded : T(1);
}

template <class T>
T WindowSum<T>::divisor_at_end(Index sample) const {
  const Index first = sample < n_fft_ ? 0 : (sample - n_fft_) / hop_length_ + 1;
  double sum = 0;
  for (Index frame = std::min(n_frames_ - 1, sample / hop_length_); frame >= first; --frame)
    sum += squares_[sample - frame * hop_length_];
  return divisor(sum);
}

template <class T>
void WindowSum<T>::divide(Index begin, Index end, T* y) const {
  const Index steady_end = std::min(end, n_frames_ * hop_length_);
  Index i = begin;
  for (; i < std::min(end, n_fft_); ++i) y[i - begin] /= divisor_at_end(i);
  while (i < steady_end) {
    const Index phase = i % hop_length_;
    const Index run = std::min(hop_length_ - phase, steady_end - i);
    // the rest of the hop lies between frames
    const Index reached = std::min(run, std::ssize(steady_) - phase);
    for (Index k = 0; k < reached; ++k) y[i - begin + k] /= steady_[phase + k];
    i += run;
  }
  for (; i < end; ++i) y[i - begin] /= divisor_at_end(i);
}

template class WindowSum<float>;
template class WindowSum<double>;

METALMOM_INSTANTIATE_OP(Istft);

}  // namespace metalmom::ops
