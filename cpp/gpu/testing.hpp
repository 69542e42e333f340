// What tests and diagnostics look at and pull: memory in use, limits, errors on order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace metalmom::gpu {

class Device;

struct MemoryUse {
  std::size_t live = 0;                  // bytes that arrays, tables and workspaces take
  std::size_t reserved = 0;              // bytes taken from the driver for them
  std::uint64_t driver_allocations = 0;  // so far; constant in the steady state
};
MemoryUse memory_use(Device& device);

// A limit for what the engine reserves on the device, as METALMOM_GPU_MEMORY sets one.
void set_memory_limit(Device& device, std::size_t bytes);

// Ages memory that is only kept, as five seconds without calls do.
void age_kept_memory();

// The next `count` allocations fail as if the device had no memory; or the next submission as if it
// had been lost.
void fail_allocations(Device& device, int count);
void lose_device(Device& device);

}  // namespace metalmom::gpu
