#include "base/workers.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace metalmom {
namespace {

int cores_of_this_thread(cpu_set_t& cores) {
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

// Where the caller computes is no place for a worker as long as there is another.
TEST(Workers, LeaveTheCallerItsCore) {
  cpu_set_t all;
  const int n_cores = cores_of_this_thread(all);
  if (n_cores < 2) GTEST_SKIP() << "one core";
  const ThreadsScope two(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> cores_of_worker{0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(8, 1, [&](Index, Index) {
    if (std::this_thread::get_id() != caller) {
      cpu_set_t cores;
      cores_of_worker = cores_of_this_thread(cores);
    }
    while (!cores_of_worker && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  EXPECT_EQ(cores_of_worker, n_cores - 1);
  cpu_set_t after;
  EXPECT_EQ(cores_of_this_thread(after), n_cores);
}

}  // namespace
}  // namespace metalmom
