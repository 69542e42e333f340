// Time stamps: the processor's counter where it runs at a constant rate (about 8 ns a reading),
// else clock_gettime (about 25 ns). Stored as raw ticks, converted when a trace is read.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace metalmom {

inline std::int64_t monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

namespace detail {
// Decided by read_clocks, which precedes the first recording, watched run and stream.
extern bool use_tsc;
}  // namespace detail

inline std::int64_t ticks() {
#if defined(__x86_64__)
  if (detail::use_tsc) [[likely]]
    return static_cast<std::int64_t>(__rdtsc());
#endif
  return monotonic_ns();
}

// One moment on both clocks.
struct ClockPair {
  std::int64_t ticks, ns;
};
ClockPair read_clocks();

// How long a tick is, to a few parts in ten thousand. The first call takes 0.2 ms.
double ns_per_tick();

// The line through the first and the last moment of a recording: exact at its ends to the few
// nanoseconds of a reading, however the system clock was slewed in between.
class TickConversion {
 public:
  TickConversion(ClockPair start, ClockPair stop);
  std::int64_t ns(std::int64_t tick) const {
    return start_.ns + static_cast<std::int64_t>(static_cast<double>(tick - start_.ticks) * rate_);
  }

 private:
  ClockPair start_;
  double rate_;
};

}  // namespace metalmom
