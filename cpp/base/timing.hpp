// Timing for calibrations, which have a budget: tests and benchmarks have their own.
#pragma once

#include <algorithm>
#include <chrono>

namespace metalmom {

// The best of up to `repeats` runs, as far as they fit into some 5 ms.
template <class F>
double best_ms(int repeats, F&& body) {
  double best = 1e30, total = 0;
  for (int i = 0; i < repeats && total < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
    total += taken.count();
  }
  return best;
}

}  // namespace metalmom
