// How much of a call's work is done between two looks for an interruption.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/index.hpp"
#include "base/interrupt.hpp"

namespace metalmom {

// What a grain takes is known to nobody: parts begin small enough for any, and are doubled while
// they are short, halved when they are long. Where they are cut changes no result.
class PartSize {
 public:
  PartSize(Index grain, Index most) : grain_(grain), most_(most) {}

  Index step() const { return std::min(grains_, most_) * grain_; }

  template <class F>
  void timed(F&& part) {
    if (!interruption) {
      grains_ = most_;
      return part();
    }
    const auto begin = std::chrono::steady_clock::now();
    part();
    const auto taken = std::chrono::steady_clock::now() - begin;
    if (taken < short_part) grains_ = std::min(2 * grains_, most_);
    if (taken > long_part) grains_ = std::max<Index>(grains_ / 2, 1);
  }

 private:
  static constexpr std::chrono::milliseconds short_part{2}, long_part{10};

  Index grain_, most_, grains_ = 4;
};

}  // namespace metalmom
