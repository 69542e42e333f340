// Peaks of a curve that comes in pieces, by the greedy rule (dsp/peak_pick.hpp): a peak is told as
// soon as all values that it is compared with are there.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dsp/peak_pick.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {

template <class T>
class PeakStream {
 public:
  explicit PeakStream(const dsp::PeakRule& rule, SharedTurns turns = std::make_shared<Turns>());

  // Takes values, the last ones of the curve or not; calls found(n) for each value n, counted from
  // the beginning of the curve, that is certain now to be a peak. Memory grows only where the rule
  // looks back beyond `most_kept` values.
  template <class F>
  void process(std::span<const T> values, bool last, F&& found) {
    turns_->require_whole();
    turns_->change();
    for (const T value : values) {
      push(value);
      decide(false, found);
    }
    if (last) decide(true, found);
    turns_->done();
  }
  void reset();

 private:
  static constexpr Index most_kept = 1 << 16;

  Index before() const { return std::max(rule_.pre_max, rule_.pre_avg); }
  Index ahead() const { return std::max(rule_.post_max, rule_.post_avg); }
  Index end() const { return first_ + std::ssize(kept_); }
  void push(T value);

  template <class F>
  void decide(bool last, F&& found) {
    while (next_ < end() && (last || ahead() <= end() - next_)) {
      const bool peak = dsp::stands_out<T>(std::span<const T>(kept_), next_ - first_, rule_);
      if (peak) found(next_);
      next_ += peak ? 1 + rule_.wait : 1;
    }
  }

  const dsp::PeakRule rule_;
  const SharedTurns turns_;
  std::vector<T> kept_;         // values from number `first_` on
  Index first_ = 0, next_ = 0;  // `next_`: the one to be looked at next
};

}  // namespace metalmom::stream
