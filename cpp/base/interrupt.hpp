// How a call that lasts is ended early: between two units of its work every thread of it looks
// whether it is to go on.
#pragma once

#include <chrono>

namespace metalmom {

class Interruption {
 public:
  // Throws where the call is to end. Called from anywhere in the work, so whatever is half done
  // must be the call's own.
  virtual void look() = 0;

 protected:
  ~Interruption() = default;
};

// What can end the work of this thread; null: nothing.
inline constinit thread_local Interruption* interruption = nullptr;

// How often a thread that waits for others looks.
inline constexpr std::chrono::milliseconds interrupt_interval{50};

// A unit is 16 frames, some ten thousand samples: what takes well below a tenth of a second.
inline void check_interrupt() {
  if (interruption) interruption->look();
}

// Thrown in the workers of a call whose caller gave up: never seen outside base/workers.cpp.
struct Interrupted {};

}  // namespace metalmom
