#include "base/clock.hpp"

#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace metalmom {

bool detail::use_tsc = false;

namespace {

// Invariant TSC: constant rate in all power states (CPUID 80000007h, EDX bit 8). A kernel that
// found the counters of its cores out of step uses another clock source, and so do we.
bool tsc_is_trustworthy() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & (1u << 8))) return false;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  file >> source;
  return source != "hpet" && source != "acpi_pm" && source != "jiffies";
#else
  return false;
#endif
}

// The reading with the least time between its two halves, of three: a preemption in between would
// shift the two clocks against each other.
ClockPair read_both() {
  ClockPair best{};
  std::int64_t least = INT64_MAX;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = ticks(), ns = monotonic_ns(), after = ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, ns};
  }
  return best;
}

}  // namespace

ClockPair read_clocks() {
  static const bool decided = detail::use_tsc = tsc_is_trustworthy();
  (void)decided;
  return read_both();
}

double ns_per_tick() {
  static const double found = [] {
    const ClockPair first = read_clocks();
    if (!detail::use_tsc) return 1.0;
    ClockPair last = first;
    while (last.ns - first.ns < 200'000) last = read_clocks();
    return static_cast<double>(last.ns - first.ns) / static_cast<double>(last.ticks - first.ticks);
  }();
  return found;
}

TickConversion::TickConversion(ClockPair start, ClockPair stop) : start_(start), rate_(1) {
  if (detail::use_tsc && stop.ticks > start.ticks)
    rate_ = static_cast<double>(stop.ns - start.ns) / static_cast<double>(stop.ticks - start.ticks);
}

}  // namespace metalmom
