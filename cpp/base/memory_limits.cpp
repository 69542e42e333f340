#include "base/memory_limits.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "base/byte_text.hpp"
#include "base/error.hpp"

namespace metalmom {

namespace {

std::size_t initial_device_limit() {
  constexpr const char* variable = "METALMOM_GPU_MEMORY";
  const char* const text = std::getenv(variable);
  if (!text || !*text) return std::numeric_limits<std::size_t>::max();
  std::string size = text;
  if (size.find_first_not_of("0123456789") == size.npos) size += 'M';
  const auto bytes = bytes_of_text(size);
  require(bytes && *bytes, variable, text, "a whole number of MiB, or a size like '512M'");
  return *bytes;
}

std::atomic<std::size_t> default_host{default_kept_bytes};
std::atomic<std::size_t> default_device{0};  // 0, which is no limit to set: nobody has set it

constinit thread_local MemoryLimits scoped;

}  // namespace

std::size_t kept_host_limit() {
  return scoped.host ? *scoped.host : default_host.load(std::memory_order_relaxed);
}

std::size_t device_memory_limit() {
  if (scoped.device) return *scoped.device;
  if (const auto bytes = default_device.load(std::memory_order_relaxed)) return bytes;
  static const std::size_t initial = initial_device_limit();
  return initial;
}

void set_default_memory_limits(const MemoryLimits& limits) {
  default_host = limits.host.value_or(default_kept_bytes);
  default_device = limits.device.value_or(0);
}

MemoryLimits set_scoped_memory_limits(const MemoryLimits& limits) {
  return std::exchange(scoped, limits);
}

MemoryLimits scoped_memory_limits() {
  return scoped;
}

}  // namespace metalmom
