// A lock for Python that a thread may take again, and that others wait on for what it changes: what
// threading.Condition is, but each step is one call of C++. An exception of a signal handler comes
// before a step or after it, and leaves nothing taken that nobody gives back.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/view.hpp"

namespace metalmom::bridge {

class Condition {
 public:
  // Whether this thread has it now. Without `seconds` it waits as long as it takes.
  bool acquire(bool blocking, std::optional<double> seconds);
  void release();

  // Lets the lock go until somebody notifies, or for `seconds`; tells which. It has the lock again
  // afterwards, also where a signal has ended the wait.
  bool wait(std::optional<double> seconds);
  void notify_all();

 private:
  bool try_take();
  void require_mine(const char* what);

  std::mutex mutex_;  // held for moments, and never by one who waits for Python's lock
  std::condition_variable changed_;
  std::thread::id owner_;
  Index depth_ = 0;  // how often the owner has taken it
  std::uint64_t notified_ = 0;
};

}  // namespace metalmom::bridge
