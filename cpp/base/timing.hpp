// Timing for calibrations, which have a budget: tests and benchmarks have their own.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace metalmom {

constexpr double budget_ms = 4;  // of one measurement; no further run is begun after it

// The best of up to `repeats` runs, as far as they fit into the budget.
template <class F>
double best_ms(int repeats, F&& body) {
  double best = 1e30, total = 0;
  for (int i = 0; i < repeats && total < budget_ms; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
    total += taken.count();
  }
  return best;
}

// The time that `share` of up to `repeats` runs stay below (0.5: the median), as far as they fit
// into the budget. For work whose time varies, because sleeping threads must wake.
template <class F>
double typical_ms(int repeats, F&& body, double share = 0.5) {
  std::vector<double> times;
  double total = 0;
  for (int i = 0; i < repeats && total < budget_ms; ++i) {
    times.push_back(best_ms(1, body));
    total += times.back();
  }
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size()));
  std::nth_element(times.begin(), times.begin() + rank, times.end());
  return times[static_cast<std::size_t>(rank)];
}

}  // namespace metalmom
