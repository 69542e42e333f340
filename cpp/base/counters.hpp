// Exact counts of what a call did, per thread: tests and the regression gates compare them with
// tables, spans report the difference over a call. What other threads do for a call is added to the
// caller's counts by a CounterSum (base/counter_sum.hpp).
#pragma once

#include <cstdint>
#include <iterator>

namespace metalmom {

struct Counters {
  std::uint64_t calls = 0;            // ops dispatched
  std::uint64_t copied_bytes = 0;     // arguments the bridge had to convert
  std::uint64_t allocations = 0;      // aligned buffers of the engine
  std::uint64_t output_bytes = 0;     // arrays allocated for results
  std::uint64_t plan_builds = 0;      // FFT plans made
  std::uint64_t pipeline_builds = 0;  // GPU pipelines made
  std::uint64_t cache_hits = 0;       // plans, windows, bases, pipelines found
  std::uint64_t cache_misses = 0;     // plans, windows, bases, pipelines built
  std::uint64_t submits = 0;          // command buffers submitted to a GPU
  std::uint64_t uploaded_bytes = 0;
  std::uint64_t downloaded_bytes = 0;
};

struct Counter {
  const char* name;
  std::uint64_t Counters::*member;
};

inline constexpr Counter all_counters[] = {
    {"calls", &Counters::calls},
    {"copied_bytes", &Counters::copied_bytes},
    {"allocations", &Counters::allocations},
    {"output_bytes", &Counters::output_bytes},
    {"plan_builds", &Counters::plan_builds},
    {"pipeline_builds", &Counters::pipeline_builds},
    {"cache_hits", &Counters::cache_hits},
    {"cache_misses", &Counters::cache_misses},
    {"submits", &Counters::submits},
    {"uploaded_bytes", &Counters::uploaded_bytes},
    {"downloaded_bytes", &Counters::downloaded_bytes},
};
static_assert(sizeof(Counters) == std::size(all_counters) * sizeof(std::uint64_t));

inline Counters& counters() {
  static thread_local Counters instance;
  return instance;
}

}  // namespace metalmom
