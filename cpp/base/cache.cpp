#include "base/cache.hpp"

namespace metalmom {

detail::CachedValues& detail::cached_values() {
  static ForkLocal<CachedValues> values;
  return values.get();
}

void detail::shrink_cached_values(std::size_t most_bytes) {
  CachedValues& all = cached_values();
  for (;;) {
    // Destroyed after the lock is released: destroying a plan waits for FFTW's planner.
    std::shared_ptr<const void> dropped;
    std::lock_guard lock(all.mutex);
    if (all.bytes <= most_bytes || all.order.empty()) return;
    CachedValue* const last = all.order.back();
    all.bytes -= last->bytes;
    all.order.pop_back();
    dropped = last->leave();
  }
}

std::size_t cached_bytes() {
  detail::CachedValues& all = detail::cached_values();
  std::lock_guard lock(all.mutex);
  return all.bytes;
}

std::size_t release_cached_values() {
  const std::size_t before = cached_bytes();
  detail::shrink_cached_values(0);
  return before - cached_bytes();
}

}  // namespace metalmom
