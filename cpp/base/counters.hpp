// Exact counts of what a call did, per thread: tests and the regression gates compare them with
// tables, spans report the difference over a call. Work done by pool threads is not counted here;
// whatever is counted (plans, caches, allocations, copies, submits) happens on the calling thread,
// or is allocated once per worker and then kept.
#pragma once

#include <cstdint>

namespace metalmom {

struct Counters {
  std::uint64_t calls = 0;           // ops dispatched
  std::uint64_t copied_bytes = 0;    // arguments the bridge had to convert
  std::uint64_t allocations = 0;     // aligned buffers of the engine
  std::uint64_t output_bytes = 0;    // arrays allocated for results
  std::uint64_t plan_builds = 0;     // FFT plans made
  std::uint64_t pipeline_builds = 0; // GPU pipelines made
  std::uint64_t cache_hits = 0;      // plans, windows, bases, pipelines found
  std::uint64_t cache_misses = 0;    // plans, windows, bases, pipelines built
  std::uint64_t submits = 0;         // command buffers submitted to a GPU
  std::uint64_t uploaded_bytes = 0;
  std::uint64_t downloaded_bytes = 0;
};

inline Counters& counters() {
  static thread_local Counters instance;
  return instance;
}

}  // namespace metalmom
