// The order of a device's compute work as a clock: each submission to the compute queue is a tick,
// and the device shows by a timeline semaphore which ticks it is past. Without timeline semaphores
// it stands still: then owners of memory wait for the end of their work instead.
#pragma once

#include <atomic>

#include "gpu/block_cache.hpp"
#include "gpu/vulkan.hpp"

namespace metalmom::gpu {

class Device;

// A timeline semaphore and a value of it, to wait for or to signal.
struct SemaphorePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

Owned<VkSemaphore> make_timeline(const Device& device);

class Clock {
 public:
  explicit Clock(const Device& device);

  bool runs() const { return timeline_; }
  // The point that the next submission to the compute queue signals. The caller holds the queue's
  // lock.
  SemaphorePoint next() const { return {timeline_, submitted_ + 1}; }
  // To be called when that submission succeeded: returns its tick.
  Tick tick() { return ++submitted_; }
  SemaphorePoint at(Tick tick) const { return {timeline_, tick}; }

  bool reached(Tick tick) const;
  // False when the device fails.
  bool wait(Tick tick) const;

 private:
  const Device& device_;
  Owned<VkSemaphore> timeline_;
  Tick submitted_ = 0;
  mutable std::atomic<Tick> seen_{0};  // the device is past this one
};

}  // namespace metalmom::gpu
