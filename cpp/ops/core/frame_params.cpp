#include "ops/core/frame_params.hpp"

#include <atomic>

#include "base/error_parts.hpp"
#include "base/finite.hpp"
#include "base/workers.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

void refuse_infinite() {
  throw ArgumentError({.name = "y", .rule = "not finite everywhere", .verb = "is"});
}

template <class T>
bool all_finite(std::span<const T> y) {
  std::atomic<bool> finite{true};
  // A part takes a fifth of a millisecond. Checking a batch of songs is bound by memory, and one
  // thread alone does not reach the memory's speed.
  parallel_for(static_cast<Index>(y.size()), Index(1) << 20, [&](Index first, Index last) {
    if (!metalmom::all_finite(y.data() + first, last - first)) finite = false;
  });
  return finite;
}

template <class T>
void require_finite(std::span<const T> y) {
  if (!all_finite(y)) refuse_infinite();
}

template bool all_finite(std::span<const float>);
template void require_finite(std::span<const float>);
template void require_finite(std::span<const double>);

FramePlan plan_frames(const FrameParams& params, Index batch, Index n_samples, Index win_length,
                      const StepParams& steps) {
  check(params);
  check(steps);
  const Index n_fft = params.n_fft, frame_length = steps.frame_length.value_or(n_fft);
  require(frame_length >= 1 && frame_length <= n_fft, "frame_length", frame_length,
          "between 1 and n_fft=" + std::to_string(n_fft));
  require(win_length >= 1 && win_length <= n_fft, "win_length", win_length,
          "between 1 and n_fft=" + std::to_string(n_fft));
  if (!params.center && n_fft > n_samples && !steps.frame_length)
    throw ArgumentError({.name = "n_fft",
                         .value = std::to_string(n_fft),
                         .rule = "too large for uncentered analysis of input signal of length=" +
                                 std::to_string(n_samples),
                         .verb = "is"});
  if (n_samples == 0 && params.pad_mode != dsp::PadMode::constant)
    throw ArgumentError(
        {.name = "y.shape[-1]",
         .value = "0",
         .rule = "at least 1 to be padded with pad_mode='" +
                 std::string(
                     EnumNames<dsp::PadMode>::value[static_cast<std::size_t>(params.pad_mode)]) +
                 "'"});
  FramePlan plan{params,        batch,      n_samples,    0,
                 n_fft / 2 + 1, win_length, frame_length, {steps.remove_mean, steps.preemphasis}};
  plan.n_frames = dsp::count_frames(n_samples, params.hop_length, frame_length, plan.pad());
  require(plan.n_frames > 0 || steps.frame_length, "n_fft", n_fft,
          "at most the padded length of the signal, " + std::to_string(n_samples + 2 * plan.pad()));
  return plan;
}

}  // namespace metalmom::ops
