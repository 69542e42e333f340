#include "gpu/clock.hpp"

#include "gpu/vulkan_device.hpp"

namespace metalmom::gpu {

Owned<VkSemaphore> make_timeline(const Device& device) {
  const DeviceFunctions& vk = device.vk;
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore semaphore;
  check(vk.create_semaphore(vk.device, &create, nullptr, &semaphore), "vkCreateSemaphore");
  return {vk.device, semaphore, vk.destroy_semaphore};
}

Clock::Clock(const Device& device) : device_(device) {
  if (device.physical.info.timeline_semaphores) timeline_ = make_timeline(device);
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

bool Clock::wait(Tick tick) const {
  if (reached(tick)) return true;
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = timeline_.address();
  info.pValues = &tick;
  return device_.vk.wait_semaphores(device_.vk.device, &info, UINT64_MAX) == VK_SUCCESS;
}

}  // namespace metalmom::gpu
