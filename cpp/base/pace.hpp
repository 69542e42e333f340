// For long loops whose single turns are too short to look for an interruption after each.
#pragma once

#include "base/index.hpp"
#include "base/interrupt.hpp"

namespace metalmom {

class Pace {
 public:
  // Counts the values that a turn read or wrote, and looks about every millisecond.
  void did(Index values) {
    if ((values_ += values) < unit) return;
    values_ = 0;
    check_interrupt();
  }

 private:
  static constexpr Index unit = 1 << 18;

  Index values_ = 0;
};

}  // namespace metalmom
