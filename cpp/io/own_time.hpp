// How long a child process that gives nothing has done nothing for it. The time on the clock would
// be unfair: the machine may be busy, a disk slow, and both processes stopped for an hour.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace metalmom::io {

class OwnTime {
 public:
  explicit OwnTime(pid_t child);

  // What the child has used up since the beginning, where this process has waited `waited` more:
  // all time that it computed, and what it slept since it last read something. It does not sleep
  // where it waits for a processor or a disk.
  std::chrono::nanoseconds after(std::chrono::nanoseconds waited);

 private:
  pid_t child_;
  std::chrono::nanoseconds computed_before_, slept_{0};
  long long read_;
};

}  // namespace metalmom::io
