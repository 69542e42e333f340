// Resampling of a signal that comes in pieces, any number of channels (dsp/rate/resampler.hpp).
#pragma once

#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::stream {

template <class T>
class ResampleStream {
 public:
  // `fix`: the result is as long as the duration says; otherwise as long as libsoxr makes it.
  ResampleStream(double from_rate, double to_rate, dsp::Quality quality, bool fix, Index channels);

  // Takes `count` samples of each channel, `stride` apart. Returns how many samples of each channel
  // are ready; `made` has them until the next call.
  Index process(const T* in, Index stride, Index count, bool last);
  std::span<const T> made(Index channel) const;

  void reset();
  Index position() const { return position_; }
  bool ended() const { return ended_; }

 private:
  void pull(std::size_t channel, const T* in, Index count, bool last);

  const double from_rate_, to_rate_;
  const dsp::Quality quality_;
  const bool fix_;
  std::vector<dsp::Resampler<T>> resamplers_;
  std::vector<std::vector<T>> made_;
  Index position_ = 0, given_ = 0;
  bool ended_ = false;
};

}  // namespace metalmom::stream
