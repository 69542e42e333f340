// A feature of a stream: a consumer that reads up to 16 frames at a time (ops/core/consumer.hpp),
// the values it left, and what it remembers of earlier frames.
#pragma once

#include <memory>
#include <span>

#include "ops/core/consumer.hpp"
#include "stream/sink.hpp"

namespace metalmom::stream {

// How far a stream is: frames consumed so far, and the frames that the signal has if it ends here.
struct Progress {
  Index frames = 0, frames_if_ended = 0;
  bool ended = false;
};

// The frames [first, first + count) of the signal, consumed together.
struct Run {
  Index first, count;
};

template <class T>
class Feature {
 public:
  virtual ~Feature() = default;

  virtual ops::Consumer<T>& consumer() = 0;
  // The plan that the consumer reads; each run sets its number of frames.
  virtual ops::FramePlan& frames() = 0;

  // How many frames of the result can be given.
  virtual Index known(const Progress& progress) const { return progress.frames; }
  // Called before the runs of a push. Writes frames that are known without them; sinks as in
  // `store`.
  virtual void open(std::span<const Sink>, Index begin, Index end) { (void)begin, (void)end; }
  // Writes the frames that a run has made known. There is a sink for each output, with room for the
  // frames [begin, end) of the result.
  virtual void store(const Run& run, std::span<const Sink> sinks, Index begin, Index end) = 0;
  virtual void reset() {}
};

}  // namespace metalmom::stream
