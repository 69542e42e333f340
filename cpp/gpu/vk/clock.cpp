#include "gpu/vk/clock.hpp"

#include "base/interrupt.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

Owned<VkSemaphore> make_timeline(const Device& device, bool is_shared) {
  const DeviceFunctions& vk = device.vk;
  const VkExportSemaphoreCreateInfo shared{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                           VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  if (is_shared && device.physical.exports_timelines) type.pNext = &shared;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore semaphore;
  check(vk.create_semaphore(vk.device, &create, nullptr, &semaphore), "vkCreateSemaphore");
  return {vk.device, semaphore, vk.destroy_semaphore};
}

std::uint64_t timeout_ns(std::chrono::nanoseconds limit) {
  return limit < limit.max() ? static_cast<std::uint64_t>(limit.count()) : UINT64_MAX;
}

VkResult wait_for(const Device& device, SemaphorePoint point, std::chrono::nanoseconds limit) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &point.semaphore;
  info.pValues = &point.value;
  return device.vk.wait_semaphores(device.vk.device, &info, timeout_ns(limit));
}

Clock::Clock(const Device& device, bool runs, bool is_shared) : device_(device) {
  if (runs) timeline_ = make_timeline(device, is_shared);
}

bool Clock::reached(Tick tick) const {
  if (tick <= seen_.load(std::memory_order_acquire)) return true;
  std::uint64_t now = 0;
  if (device_.vk.semaphore_value(device_.vk.device, timeline_, &now) != VK_SUCCESS) return false;
  Tick seen = seen_.load(std::memory_order_relaxed);
  while (seen < now && !seen_.compare_exchange_weak(seen, now, std::memory_order_acq_rel)) {
  }
  return tick <= now;
}

VkResult Clock::block(Tick tick, std::chrono::nanoseconds limit) const {
  return wait_for(device_, at(tick), limit);
}

bool Clock::wait(Tick tick) const {
  if (reached(tick)) return true;
  for (;; check_interrupt())
    if (const VkResult result = block(tick, interrupt_interval); result != VK_TIMEOUT)
      return result == VK_SUCCESS;
}

}  // namespace metalmom::gpu
