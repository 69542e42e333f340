// Resampling of a signal that comes in pieces, any number of channels (dsp/rate/resampler.hpp).
// From a rate to the same it is copied.
//
// libsoxr keeps samples in queues that grow as they need to. It is given its input in steps of one
// size, so that the queues have their size once they have seen some of them.
#pragma once

#include <vector>

#include "base/index.hpp"
#include "dsp/rate/resampler.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

template <class T>
class ResampleStream {
 public:
  // `fix`: the result is as long as the duration says; otherwise as long as libsoxr makes it.
  ResampleStream(double from_rate, double to_rate, dsp::Quality quality, bool fix, Index channels,
                 SharedTurns turns = std::make_shared<Turns>());

  // The most samples of each channel that `process` gives for so many more. Throws after the end of
  // the signal.
  Index most(Index count, bool last) const;

  // Takes `count` samples of each channel, `stride` apart; writes those that are ready to each
  // channel's `out`, which has room for `most`. Returns how many. Throws if a sample is not finite,
  // and then changes nothing.
  Index process(const T* in, Index stride, Index count, bool last, T* out, Index out_stride);

  // libsoxr can only begin anew by allocating.
  void reset();
  Index position() const { return position_; }
  bool ended() const { return ended_; }

 private:
  void clear();
  bool copies() const { return from_rate_ == to_rate_; }
  Index pull(std::size_t channel, const T* in, Index count, bool last, T* out, Index room);

  const double from_rate_, to_rate_;
  const dsp::Quality quality_;
  const bool fix_;
  const Index channels_;
  const SharedTurns turns_;
  std::vector<dsp::Resampler<T>> resamplers_;
  Index position_ = 0, given_ = 0;
  bool ended_ = false;
};

}  // namespace metalmom::stream
