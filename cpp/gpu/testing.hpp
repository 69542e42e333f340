// What tests and diagnostics look at and pull: memory in use, limits, errors on order, a
// standstill.
#pragma once

#include <chrono>
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

// While there is one, the host does not see devices go on: whoever looks finds that work is not
// done yet, and waits, for work or for a pipeline, last until it goes.
class Stall {
 public:
  Stall();
  ~Stall();
  Stall(const Stall&) = delete;
  // Returns as soon as so many threads wait; false if they don't within `limit`.
  bool await_waiters(int count, std::chrono::seconds limit);
};

}  // namespace metalmom::gpu
