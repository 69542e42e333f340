// What becomes of a frame before its window: its mean is taken away, and it is pre-emphasised, as
// in speech recognition (Young et al., The HTK Book, sections 5.2 and 5.3). Zeros follow it up to
// the length of the transform.
//
// Frames are prepared in double, since a rounding of the samples would show in the logarithms of
// soft bands. They are made one by one where a transform asks for them, so that they stay in cache.
#pragma once

#include "dsp/frames.hpp"

namespace metalmom::dsp {

struct FrameSteps {
  bool remove_mean = false;
  // How much of each sample's predecessor is taken away; the first sample is its own predecessor.
  double preemphasis = 0;

  bool operator==(const FrameSteps&) const = default;
};

template <class S>
class PreparedFrames final : public FrameMaker<double> {
 public:
  // Of the frames of `audio`, which may be shorter than n_fft.
  PreparedFrames(const FrameSource<S>& audio, const FrameSteps& steps, Index n_fft)
      : audio_(audio), steps_(steps), n_fft_(n_fft) {}

  // What transforms read; it refers to this.
  FrameSource<double> source() const { return {.n_fft = n_fft_, .maker = this}; }

  void make(Index frame, double* out) const override;

 private:
  const FrameSource<S> audio_;
  const FrameSteps steps_;
  const Index n_fft_;
};

}  // namespace metalmom::dsp
