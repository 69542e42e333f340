// A feature of a stream: a consumer that reads up to 16 frames at a time (ops/core/consumer.hpp),
// the values it left, and what it remembers of earlier frames.
#pragma once

#include <memory>
#include <span>

#include "ops/core/consumer.hpp"
#include "stream/sink.hpp"

namespace metalmom::stream {

// How far a stream is: frames that were consumed, and frames the signal has if it ends here.
struct Progress {
  Index frames = 0, frames_if_ended = 0;
  bool ended = false;
};

// Frames of a run: [first, first + count) of the signal.
struct Run {
  Index first, count;
};

template <class T>
class Feature {
 public:
  virtual ~Feature() = default;

  virtual ops::Consumer<T>& consumer() = 0;
  // The plan that the consumer reads: a run sets its number of frames.
  virtual ops::FramePlan& frames() = 0;

  // Frames of the result that are known.
  virtual Index known(const Progress& progress) const { return progress.frames; }
  // Before the runs of a push: writes what is known without them. Sinks as in `store`.
  virtual void open(std::span<const Sink>, Index begin, Index end) { (void)begin, (void)end; }
  // Writes what a run made known. Sinks, one an output, have the frames [begin, end) of the result.
  virtual void store(const Run& run, std::span<const Sink> sinks, Index begin, Index end) = 0;
  virtual void reset() {}
};

}  // namespace metalmom::stream
