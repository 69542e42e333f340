#include "base/memory_use.hpp"

#include <atomic>

namespace metalmom {

namespace {
constinit std::atomic<std::ptrdiff_t> now{0}, peak{0}, at_restart{0};
}

void note_memory(std::ptrdiff_t bytes) noexcept {
  const std::ptrdiff_t used = now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::ptrdiff_t most = peak.load(std::memory_order_relaxed);
  while (used > most && !peak.compare_exchange_weak(most, used, std::memory_order_relaxed)) {
  }
}

std::ptrdiff_t memory_peak() noexcept {
  return peak.load(std::memory_order_relaxed) - at_restart.load(std::memory_order_relaxed);
}

void restart_memory_peak() noexcept {
  const std::ptrdiff_t used = now.load(std::memory_order_relaxed);
  at_restart.store(used, std::memory_order_relaxed);
  peak.store(used, std::memory_order_relaxed);
}

}  // namespace metalmom
