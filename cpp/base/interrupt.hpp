// How a call that lasts is ended early: between two units of its work every thread of it looks
// whether it is to go on.
#pragma once

#include <chrono>

namespace metalmom {

class Interruption {
 public:
  // Throws if the call is to end. It is called anywhere in the work, so whatever is half done must
  // belong to the call alone.
  virtual void look() = 0;

 protected:
  ~Interruption() = default;
};

// What can end the work of this thread; null where nothing can.
inline constinit thread_local Interruption* interruption = nullptr;

// How often a thread that waits for others looks.
inline constexpr std::chrono::milliseconds interrupt_interval{50};

// To be called after each unit of work that takes well below a tenth of a second: 16 frames, or
// some ten thousand samples.
inline void check_interrupt() {
  if (interruption) interruption->look();
}

// Ends the work of a thread of a call that failed elsewhere. It is no std::exception, so what
// catches errors within a task lets it pass. Only base/workers.cpp ends it.
struct Interrupted {};

}  // namespace metalmom
