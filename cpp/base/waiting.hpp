// Waiting for what another thread does, which a signal may end.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/interrupt.hpp"

namespace metalmom {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline no_deadline = Deadline::max();

// Waits until `done` or the deadline, and tells which. A signal wakes nobody here, so it looks
// every `interrupt_interval` whether the call is to end; where it is, this throws, and lets the
// lock go.
template <class Done>
bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                Deadline deadline, Done done) {
  while (!done()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return false;
    if (!interruption && deadline == no_deadline) {
      changed.wait(lock);
      continue;
    }
    const auto look = interruption ? std::min(deadline, now + interrupt_interval) : deadline;
    changed.wait_until(lock, look);
    lock.unlock();
    check_interrupt();
    lock.lock();
  }
  return true;
}

}  // namespace metalmom
