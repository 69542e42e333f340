// How much time a child that gives no output has used up itself. The time on the clock would be
// unfair: the machine may be busy, a disk slow, or both processes stopped for an hour.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace metalmom::io {

class OwnTime {
 public:
  explicit OwnTime(pid_t child);

  // What the child has used up since the beginning, after this process has waited for another
  // `waited`: all the time that it computed, and what it slept since it last read something. To
  // wait for a processor or a disk is not to sleep.
  std::chrono::nanoseconds after(std::chrono::nanoseconds waited);

 private:
  pid_t child_;
  std::chrono::nanoseconds computed_before_, slept_{0};
  long long read_;
};

}  // namespace metalmom::io
