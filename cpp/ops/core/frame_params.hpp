// How a signal is cut into frames: shared by every op that starts from audio.
#pragma once

#include <optional>

#include "base/fields.hpp"
#include "dsp/defaults.hpp"
#include "dsp/frame_steps.hpp"

namespace metalmom::ops {

struct FrameParams {
  Index n_fft = dsp::defaults::n_fft;
  Index hop_length = dsp::defaults::hop_length;
  bool center = true;
  dsp::PadMode pad_mode = dsp::PadMode::constant;

  // Samples that padding adds at each end.
  Index pad() const { return center ? n_fft / 2 : 0; }
  bool operator==(const FrameParams&) const = default;
  static constexpr auto fields() {
    return field_list(field("n_fft", &FrameParams::n_fft, positive_integer),
                      field("hop_length", &FrameParams::hop_length, positive_integer),
                      field("center", &FrameParams::center),
                      field("pad_mode", &FrameParams::pad_mode));
  }
};

// Frames that are prepared before their window (dsp/frame_steps.hpp).
struct StepParams {
  // Samples of a frame, which zeros follow up to n_fft; n_fft by default. Shorter audio has no
  // frame.
  std::optional<Index> frame_length;
  bool remove_mean = false;
  double preemphasis = 0;

  static constexpr auto fields() {
    return field_list(field("frame_length", &StepParams::frame_length),
                      field("remove_mean", &StepParams::remove_mean),
                      field("preemphasis", &StepParams::preemphasis, Range{0, 1, "from 0 to 1"}));
  }
};

// Frames of a batch of signals, validated by plan_frames.
struct FramePlan {
  FrameParams params;
  Index batch = 0;
  Index n_samples = 0;
  Index n_frames = 0;
  Index n_bins = 0;
  Index win_length = 0;
  Index frame_length = 0;  // n_fft, or less
  dsp::FrameSteps steps = {};
  Index origin =
      0;  // samples before those that count, in memory where a stream's next frame moves on

  Index pad() const { return params.pad(); }
  // Whether frames are prepared, which is done in double: consumers of them are wide.
  bool prepares() const { return frame_length < params.n_fft || steps != dsp::FrameSteps{}; }
  Index total_frames() const { return batch * n_frames; }

  template <class T>
  dsp::FrameSource<T> source(const View<const T>& y, Index b) const {
    return {y.row(b) + origin, n_samples - origin, params.hop_length, frame_length, pad(),
            params.pad_mode};
  }
};

// From shapes alone, so that a stream or a prepared call can plan without samples.
FramePlan plan_frames(const FrameParams& params, Index batch, Index n_samples, Index win_length,
                      const StepParams& steps = {});

template <class T>
FramePlan plan_frames(const FrameParams& params, const View<const T>& y, Index win_length,
                      const StepParams& steps = {}) {
  return plan_frames(params, y.batch, y.cols, win_length, steps);
}

}  // namespace metalmom::ops
