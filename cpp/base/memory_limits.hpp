// How much memory the engine may keep on the host between calls, and reserve on a device.
#pragma once

#include <cstddef>
#include <optional>

namespace metalmom {

// In bytes. Nothing: what holds outside does, and in the end the defaults: 64 MiB of the host, as
// much of a device as it has (or METALMOM_GPU_MEMORY, in MiB).
struct MemoryLimits {
  std::optional<std::size_t> host, device;
};

inline constexpr std::size_t default_kept_bytes = std::size_t{64} << 20;

// Those that hold for calls from this thread.
std::size_t kept_host_limit();
std::size_t device_memory_limit();

// Of the process; and this thread's own, with the ones before.
void set_default_memory_limits(const MemoryLimits& limits);
MemoryLimits set_scoped_memory_limits(const MemoryLimits& limits);
MemoryLimits scoped_memory_limits();

class MemoryLimitsScope {
 public:
  explicit MemoryLimitsScope(const MemoryLimits& limits)
      : previous_(set_scoped_memory_limits(limits)) {}
  ~MemoryLimitsScope() { set_scoped_memory_limits(previous_); }
  MemoryLimitsScope(const MemoryLimitsScope&) = delete;

 private:
  MemoryLimits previous_;
};

}  // namespace metalmom
