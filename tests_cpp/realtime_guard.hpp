// Sees whether calls allocate, free, take locks or make system calls, and lets allocations fail.
// Where that cannot be done (without glibc, under a sanitizer) nothing is defined here.
#pragma once

#include <cstdlib>  // which says whether this is glibc

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define METALMOM_REALTIME_GUARD

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "base/index.hpp"

namespace metalmom::test {

// Counts what this thread allocates and frees, and the locks it takes, as long as it lives.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  long seen() const { return seen_; }

 private:
  long seen_ = 0;
};

// As long as it lives, allocations of so many bytes or more fail, in every thread.
class NoMemory {
 public:
  explicit NoMemory(std::size_t bytes = 0);
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
};

// The so-manieth allocation of this thread fails, from 1 on.
class FailingAllocation {
 public:
  explicit FailingAllocation(long number);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  bool has_failed() const;
};

// Blocks of memory in use, of all threads.
long blocks_in_use();

// Whether the system can be told to refuse this process its calls; without that, all bodies below
// pass.
bool can_forbid_system_calls();

// Whether a body makes no system call, in a child process that is killed if it does.
::testing::AssertionResult makes_no_system_call(const std::function<void()>& body);

// Expects nothing of `others`, after a first run.
void expect_real_time(const std::function<void()>& first, const std::function<void()>& others);

template <class T>
std::vector<T> samples(Index n) {
  std::vector<T> y(static_cast<std::size_t>(n));
  unsigned state = 1;
  for (T& each : y) each = static_cast<T>((state = state * 1664525 + 1013904223) >> 8) / 8e6F - 1;
  return y;
}

// Block lengths that add up to n: around the sizes of hops, frames and partitions.
inline std::vector<Index> cuts(Index n) {
  std::vector<Index> sizes;
  for (std::size_t i = 0; n > 0; ++i) {
    constexpr Index some[] = {1, 0, 63, 64, 65, 7, 512, 509, 2048, 4096, 10007};
    sizes.push_back(std::min(n, some[i % std::size(some)]));
    n -= sizes.back();
  }
  return sizes;
}

}  // namespace metalmom::test

#endif
