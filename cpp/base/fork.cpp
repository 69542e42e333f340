#include "base/fork.hpp"

#include <pthread.h>

namespace metalmom {

namespace {
std::atomic<std::uint64_t> generation{0};
const int registered = pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); });
}  // namespace

std::uint64_t fork_generation() {
  (void)registered;
  return generation.load(std::memory_order_relaxed);
}

}  // namespace metalmom
