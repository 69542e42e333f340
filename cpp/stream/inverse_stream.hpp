// The inverse transform of frames that come in pieces: each sample is given as soon as every frame
// that reaches it was added, in the order of the frames, as ops/core/istft.cpp adds them.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "base/buffer.hpp"
#include "base/own_workspace.hpp"
#include "base/view.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/istft.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

template <class T>
class InverseStream {
 public:
  // `params.length` is not used: a stream is as long as its frames.
  InverseStream(const ops::Istft::Params& params, std::span<const double> window, Index channels,
                SharedTurns turns = std::make_shared<Turns>());

  // How many samples `process` will give for so many more frames.
  Index ready(Index n_frames, bool last) const;

  // Takes spectra, (channels, frames, bins), and writes to each channel's out, `stride` apart.
  void process(const View<const std::complex<T>>& spectra, bool last, T* out, Index stride);
  void reset();

  Index position() const { return frames_; }  // frames taken
  bool ended() const { return ended_; }

 private:
  Index start() const { return params_.start(); }
  void clear();
  Index length(Index frames) const;
  Index settled(Index frames) const;

  const ops::Istft::Params params_;
  const Index channels_, row_;
  const SharedTurns turns_;
  std::shared_ptr<const dsp::FrameTransform<T>> transform_;
  ops::WindowSum<T> sums_;
  Buffer<T> overlaps_;  // sums of frames, from the first sample that was not given yet
  OwnWorkspace workspace_;
  Index frames_ = 0, given_ = 0;  // samples of the padded signal, counted from its beginning
  bool ended_ = false;
};

}  // namespace metalmom::stream
