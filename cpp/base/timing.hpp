// Timing for calibrations, which have a budget, and of calls that are compared with their
// predictions: tests and benchmarks have their own.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace metalmom {

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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

// The median of up to `repeats` runs, as far as they fit into the budget. For work whose time
// varies, because sleeping threads must wake.
template <class F>
double typical_ms(int repeats, F&& body) {
  std::vector<double> times;
  double total = 0;
  for (int i = 0; i < repeats && total < budget_ms; ++i) {
    times.push_back(best_ms(1, body));
    total += times.back();
  }
  const auto rank = std::ssize(times) / 2;
  std::nth_element(times.begin(), times.begin() + rank, times.end());
  return times[static_cast<std::size_t>(rank)];
}

}  // namespace metalmom
