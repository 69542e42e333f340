#include "ops/rhythm/tempogram.hpp"

#include <algorithm>
#include <cmath>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/autocorrelation.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
TempogramPlan plan_tempogram(const TempogramParams& params, const TempogramInputs<T>& in) {
  check(params);
  const auto win_length = static_cast<Index>(in.window.size());
  const Index n = in.onset_envelope.cols;
  require(win_length >= 1, "win_length", win_length, "a positive integer");
  require(params.norm >= 0 || std::isinf(params.norm), "norm", params.norm,
          "infinity, -infinity or non-negative");
  if (params.center)
    require(n >= 1, "onset_envelope.shape[-1]", n, "at least 1");
  else
    require(n >= win_length, "onset_envelope.shape[-1]", n,
            "at least win_length=" + std::to_string(win_length));
  return {params, in.onset_envelope.batch, n, params.center ? n : n - win_length + 1, win_length};
}

template TempogramPlan plan_tempogram(const TempogramParams&, const TempogramInputs<float>&);
template TempogramPlan plan_tempogram(const TempogramParams&, const TempogramInputs<double>&);

// Values must be so small that sums of products do not overflow: a column that is not finite has no
// norm.
template <class T>
void check_envelope(const TempogramPlan& plan, const TempogramInputs<T>& in) {
  const double limit =
      std::sqrt(std::numeric_limits<double>::max() / static_cast<double>(plan.win_length));
  for (const T value : in.onset_envelope.flat())
    require(std::abs(static_cast<double>(value)) < limit, "onset_envelope",
            static_cast<double>(value), "finite");
}

template void check_envelope(const TempogramPlan&, const TempogramInputs<float>&);
template void check_envelope(const TempogramPlan&, const TempogramInputs<double>&);

Cost tempogram_cost(const TempogramPlan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto length = static_cast<double>(plan.win_length);
  // Two transforms in double.
  return {plan.batch * plan.n_frames, frames * (4 * fft_flops(2 * plan.win_length) + 8 * length),
          frames * 8 * length};
}

namespace {

constexpr Index width = dsp::local_frames;

// Writes the envelope in double. Where it is centred, ramps to zero are added at both ends, rounded
// to T as numpy.pad rounds them.
template <class T>
void pad_envelope(const TempogramPlan& plan, const T* x, Index padded, double* out) {
  const Index pad = plan.params.center ? plan.win_length / 2 : 0;
  const Index n = plan.n_samples;
  const auto ramp = static_cast<double>(pad);
  for (Index i = 0; i < n; ++i) out[pad + i] = static_cast<double>(x[i]);
  for (Index i = 0; i < pad; ++i) {
    const auto step = static_cast<double>(i);
    out[i] = static_cast<T>(step * (static_cast<double>(x[0]) / ramp));
    out[n + 2 * pad - 1 - i] = static_cast<T>(step * (static_cast<double>(x[n - 1]) / ramp));
  }
  std::fill(out + n + 2 * pad, out + padded, 0.0);
}

// The number of blocks of `width` frames in a signal.
Index blocks_per_signal(const TempogramPlan& plan) {
  return ceil_div(plan.n_frames, width);
}

// Calls visit(i, local, x, window, count) for every block of frames, in parallel. i counts the
// blocks of all signals; x is where the padded envelope of the block's first frame begins.
template <class T, class Visit>
void for_each_block(const TempogramPlan& plan, const TempogramInputs<T>& in, Visit&& visit) {
  const auto local = dsp::local_autocorrelation(plan.win_length);
  const Index per_signal = blocks_per_signal(plan);
  // Both have zeros behind: the kernel reads beyond the last block's frames, and beyond the
  // window's length.
  const Index padded =
      std::max(per_signal * width + local->reach(), plan.n_samples + plan.win_length);
  const Lent<double> window(local->window_size() + plan.batch * padded);
  double* const x = window + local->window_size();
  std::copy(in.window.begin(), in.window.end(), window.data());
  std::fill(window + std::ssize(in.window), x, 0.0);
  for (Index b = 0; b < plan.batch; ++b)
    pad_envelope(plan, in.onset_envelope.row(b), padded, x + b * padded);
  parallel_for(plan.batch * per_signal, 1, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Stage stage(stage::autocorrelation);
      const Index first = i % per_signal * width;
      visit(i, *local, x + i / per_signal * padded + first, window,
            std::min(width, plan.n_frames - first));
    }
  });
}

}  // namespace

template <class T>
void Tempogram::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index per_signal = blocks_per_signal(plan);
  for_each_block(
      plan, in,
      [&](Index i, const dsp::LocalAutocorrelation& local, const double* x, const double* window,
          Index count) {
        double* const values = out.tempogram.row(i / per_signal) + i % per_signal * width;
        local.block(x, window, count, values, plan.n_frames);
        if (plan.params.normalize)
          dsp::normalize_columns(values, plan.win_length, count, plan.n_frames, plan.params.norm);
      });
}

template <class T>
void tempogram_mean(const TempogramPlan& plan, const TempogramInputs<T>& in, View<double> out) {
  const Index per_signal = blocks_per_signal(plan), lags = plan.win_length;
  // Threads finish their blocks in any order. Each block keeps its own sum, and these are added in
  // the order of the blocks afterwards: the rounding is the same for any number of threads.
  const Lent<double> sums(plan.batch * per_signal * lags);
  for_each_block(
      plan, in,
      [&](Index i, const dsp::LocalAutocorrelation& local, const double* x, const double* window,
          Index count) { local.scaled_sum(x, window, count, sums + i * lags); });
  for (Index b = 0; b < plan.batch; ++b) {
    double* const mean = out.row(b);
    std::fill(mean, mean + lags, 0.0);
    for (Index i = b * per_signal; i < (b + 1) * per_signal; ++i)
      for (Index k = 0; k < lags; ++k) mean[k] += sums[i * lags + k];
    for (Index k = 0; k < lags; ++k) mean[k] /= static_cast<double>(plan.n_frames);
  }
}

template void tempogram_mean(const TempogramPlan&, const TempogramInputs<float>&, View<double>);
template void tempogram_mean(const TempogramPlan&, const TempogramInputs<double>&, View<double>);

METALMOM_INSTANTIATE_RUN(Tempogram);

}  // namespace metalmom::ops
