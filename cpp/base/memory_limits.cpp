#include "base/memory_limits.hpp"

#include <atomic>
#include <limits>
#include <utility>

#include "base/environment.hpp"

namespace metalmom {

namespace {

std::size_t initial_device_limit() {
  const auto mebibytes = environment_count("METALMOM_GPU_MEMORY", Index{1} << 30, "MiB");
  return mebibytes ? static_cast<std::size_t>(*mebibytes) << 20
                   : std::numeric_limits<std::size_t>::max();
}

std::atomic<std::size_t> default_host{default_kept_bytes};
std::atomic<std::size_t>& default_device() {
  static std::atomic<std::size_t> bytes{initial_device_limit()};
  return bytes;
}

constinit thread_local MemoryLimits scoped;

}  // namespace

std::size_t kept_host_limit() {
  return scoped.host ? *scoped.host : default_host.load(std::memory_order_relaxed);
}

std::size_t device_memory_limit() {
  return scoped.device ? *scoped.device : default_device().load(std::memory_order_relaxed);
}

void set_default_memory_limits(const MemoryLimits& limits) {
  if (limits.host) default_host = *limits.host;
  if (limits.device) default_device() = *limits.device;
}

MemoryLimits set_scoped_memory_limits(const MemoryLimits& limits) {
  return std::exchange(scoped, limits);
}

MemoryLimits scoped_memory_limits() {
  return scoped;
}

}  // namespace metalmom
