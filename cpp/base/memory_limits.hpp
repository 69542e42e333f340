// How much memory the engine may keep on the host between calls, and reserve on a device.
#pragma once

#include <cstddef>
#include <optional>

namespace metalmom {

// Limits in bytes. One that is not set is taken from the enclosing scope, else from the process,
// else it is the default: 64 MiB on the host; on a device METALMOM_GPU_MEMORY (a number is of MiB),
// or all that the device has.
struct MemoryLimits {
  std::optional<std::size_t> host, device;
};

inline constexpr std::size_t default_kept_bytes = std::size_t{64} << 20;

// The limits that hold for calls from this thread.
std::size_t kept_host_limit();
std::size_t device_memory_limit();

// Sets the limits of the process, where one that is not set is as at its start; sets those of this
// thread and returns the ones before.
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
