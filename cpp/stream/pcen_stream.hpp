// Energy normalisation of a spectrogram that comes in pieces (dsp/pcen.hpp): the smoothing filter's
// state stays from piece to piece.
#pragma once

#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "dsp/pcen.hpp"
#include "stream/sink.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

class PcenStream {
 public:
  // `max_size`: bands of a maximum filter before the smoothing, centred. `state`: of the filter
  // before the first frame, one for all rows or one for each.
  PcenStream(const dsp::PcenParams& params, Index max_size, Index channels, Index n_bands,
             std::span<const double> state, SharedTurns turns = std::make_shared<Turns>());

  // Takes `count` frames, and writes as many doubles. Throws after the end
  // of the signal.
  template <class T>
  void process(const Source& from, Index count, bool last, const Sink& to);
  void reset();

  Index position() const { return position_; }  // frames taken
  bool ended() const { return ended_; }

 private:
  static constexpr Index frames_at_once = 16;

  void clear();
  // The maximum filter: each band's is the largest energy of `max_size_` bands around it.
  void take_maxima_of_bands(Index count);

  const dsp::PcenParams params_;
  const Index max_size_, channels_, n_bands_;
  const std::vector<double> first_state_;
  const SharedTurns turns_;
  std::vector<double> state_;
  Buffer<double> energies_, smoothed_, maxima_;  // (channel, band, frame) of some frames
  Index position_ = 0;
  bool ended_ = false;
};

}  // namespace metalmom::stream
