// A convolver whose response can be changed while it sounds: what comes in fades from the old
// response to the new one, and what the old one has heard rings on to its end. And the end of the
// signal, which a convolver alone does not have: its tail.
#pragma once

#include <memory>

#include "base/buffer.hpp"
#include "stream/convolver.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

template <class T>
class FadingConvolver {
 public:
  using Made = std::unique_ptr<Convolver<T>>;

  explicit FadingConvolver(Made first, SharedTurns turns = std::make_shared<Turns>());

  // Throws while an earlier response rings.
  void require_rung_out() const;
  // Takes another response. Returns a convolver that rang out long ago, if there is one: to free it
  // takes time, which `process` has not.
  Made set_response(Made next, Index crossfade);

  // Throws after the end of the signal, and for samples that Convolver::check refuses; then nothing
  // has changed. `in` may be `out`.
  void process(const T* in, Index in_stride, Index count, T* out, Index out_stride);
  // Ends the signal: writes tail() samples. With a worker it waits, so that all of them are whole.
  void end(T* out, Index out_stride);
  // Neither allocates nor frees.
  void reset();
  // Does the work once on so many samples of silence; a fade that is to come is still to come.
  void warm_up(Index count);
  void settle();

  const PartitionPlan& plan() const { return now_->plan(); }
  Index n_taps() const { return now_->n_taps(); }
  Index position() const { return position_; }  // samples taken
  bool ended() const { return ended_; }
  // Samples of silence after which nothing is left, when `count` more samples have come.
  Index tail(Index count = 0) const;
  Index missed_blocks() const;

 private:
  void convolve(const T* in, Index in_stride, Index count, T* out, Index out_stride);
  void mix(const T* in, Index in_stride, Index count, T* out, Index out_stride);
  void leave_old();

  const SharedTurns turns_;
  Made now_;
  Made old_;  // the response before, kept when it has rung out until there is time to free it
  bool rings_ = false;             // whether the old one is still heard
  Index fade_ = 0, old_tail_ = 0;  // samples of the fade, and of the old response's tail
  Index position_ = 0;
  Index missed_before_ = 0;  // of responses that have rung out
  bool ended_ = false;
  // The share of each response, and what it makes of that: some samples of each channel.
  Buffer<T> gains_, of_now_, of_old_, silence_;
};

}  // namespace metalmom::stream
