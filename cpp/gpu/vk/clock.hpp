// The order of a device's compute work as a clock: each submission to the compute queue is a tick,
// and the device shows by a timeline semaphore which ticks it is past. Without timeline semaphores
// it stands still: then owners of memory wait for the end of their work instead.
//
// Where memory is lent to others (gpu/sharing.hpp) they have such a clock, too, which they advance.
#pragma once

#include <atomic>
#include <chrono>

#include "gpu/vk/block_cache.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Device;

// A timeline semaphore and a value of it, to wait for or to signal.
struct SemaphorePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

// `is_shared`: other libraries may signal it, where the device has that.
Owned<VkSemaphore> make_timeline(const Device& device, bool is_shared = false);
// Waits on the host until the semaphore has the value; VK_TIMEOUT after `limit`.
VkResult wait_for(const Device& device, SemaphorePoint point, std::chrono::nanoseconds limit);
// A limit as Vulkan's waits take it.
std::uint64_t timeout_ns(std::chrono::nanoseconds limit);

class Clock {
 public:
  Clock(const Device& device, bool runs, bool is_shared = false);

  bool runs() const { return timeline_; }
  // The point that the next submission signals. The caller holds the lock of whoever advances the
  // clock, which is the compute queue's for the device's own.
  SemaphorePoint next() const { return {timeline_, submitted_ + 1}; }
  // To be called when that submission succeeded: returns its tick.
  Tick tick() { return ++submitted_; }
  SemaphorePoint at(Tick tick) const { return {timeline_, tick}; }

  bool reached(Tick tick) const;
  // VK_TIMEOUT after `limit`.
  VkResult block(Tick tick, std::chrono::nanoseconds limit) const;
  // False when the device fails. A signal may end it.
  bool wait(Tick tick) const;

 private:
  const Device& device_;
  Owned<VkSemaphore> timeline_;
  Tick submitted_ = 0;
  mutable std::atomic<Tick> seen_{0};  // the device is past this one
};

}  // namespace metalmom::gpu
