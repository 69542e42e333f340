// Features of a signal that comes in pieces. The samples that the next frames need are kept, with
// the absolute number of the next frame; whenever whole frames are there, the pipeline of the
// offline calls (ops/core/pipeline.hpp) runs over exactly these. A frame's bits do not depend on
// the block of frames it is in, so what comes out is, joined, bit for bit the offline result.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/own_workspace.hpp"
#include "ops/core/pipeline.hpp"
#include "stream/feature.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

// Samples that a run of 16 frames spans.
Index window_samples(const ops::FrameParams& params);

template <class T>
class FrameStream {
 public:
  // `samples`: memory of window_samples(params) values for each channel, which the features'
  // consumers read. `params`: how the signal is framed and padded.
  FrameStream(const ops::FrameParams& params, Index channels, T* samples,
              std::vector<std::unique_ptr<Feature<T>>> features,
              SharedTurns turns = std::make_shared<Turns>());

  // The samples of a call: `count` of each channel, channels `stride` apart.
  struct Input {
    const T* data = nullptr;
    Index stride = 0, count = 0;
    bool last = false;
  };

  // The frames [begin, end) of a feature's result that `process` will make of an input. Throws
  // after the end of the signal.
  struct Range {
    Index begin, end;
  };
  Range ready(const Input& input, std::size_t feature) const;

  // Throws if a sample is not finite, if the signal has ended, or if it ends here and is too short
  // to be padded.
  void check(const Input& input) const;

  // Changes nothing if `check` throws. `sinks[i]` are those of feature i, with room for the frames
  // that are `ready`.
  void process(const Input& input, std::span<const std::span<const Sink>> sinks);

  // Begins another signal. Neither `process` nor `reset` allocates.
  void reset();

  Index position() const { return position_; }  // samples taken
  bool ended() const { return ended_; }
  Index channels() const { return channels_; }

 private:
  Index pad() const { return params_.pad(); }
  void clear();
  Index needed_to_begin() const;
  Progress progress(Index position, bool ended) const;
  Range next_range(const Input& input, std::size_t feature) const;
  void begin();
  void take(const T* data, Index stride, Index count);
  void remember(const Input& input);
  void end();
  void move_to_begin();
  void run_ready();
  void run(Index count);
  T* channel(Index b) const { return samples_ + b * window_; }

  const ops::FrameParams params_;
  const Index channels_, window_;
  T* const samples_;  // samples of the padded signal
  std::vector<std::unique_ptr<Feature<T>>> features_;
  const SharedTurns turns_;
  std::vector<ops::Pipeline<T>> pipelines_;
  Buffer<T> memory_;  // of the pipelines' segments
  Buffer<T> tail_;    // the last samples of each channel, for the padding at the end
  Buffer<T> padding_;
  OwnWorkspace workspace_;
  Index runs_ = 0;  // of the present call

  Index position_ = 0;    // samples taken
  Index frame_ = 0;       // the next frame
  Index start_ = 0;       // where the next frame begins in the window
  Index held_ = 0;        // samples from there on
  Index unread_ = 0;      // samples to come before the next frame, where frames do not overlap
  Index remembered_ = 0;  // samples in the tail
  bool begun_ = false, ended_ = false;
  std::span<const std::span<const Sink>> sinks_;  // those of the present call
  std::vector<Range> ranges_;                     // of each feature's result, in the last call
};

}  // namespace metalmom::stream
