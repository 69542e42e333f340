#include "gpu/vk/completion.hpp"

#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

Completion::Completion(Device& device) : device_(device) {
  const DeviceFunctions& vk = device.vk;
  if (!device.physical.info.timeline_semaphores) {
    const VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    check(vk.create_fence(vk.device, &create, nullptr, &fence), "vkCreateFence");
    fence_ = {vk.device, fence, vk.destroy_fence};
    return;
  }
  timeline_ = make_timeline(device);
}

Tick Completion::submit(Queue& queue, VkCommandBuffer commands, bool after_previous, Tick after) {
  if (fence_) {
    fence_pending_ = false;
    check(device_.vk.reset_fences(device_.vk.device, 1, fence_.address()), "vkResetFences");
    device_.submit(queue, {.commands = commands, .fence = fence_});
    fence_pending_ = true;
    return 0;
  }
  const Tick tick = device_.submit(
      queue, {.commands = commands,
              .previous = after_previous ? SemaphorePoint{timeline_, value_} : SemaphorePoint{},
              .after = after,
              .signal = {timeline_, value_ + 1}});
  ++value_;
  return tick;
}

VkResult Completion::poll() const {
  const DeviceFunctions& vk = device_.vk;
  if (fence_) return fence_pending_ ? vk.fence_status(vk.device, fence_) : VK_SUCCESS;
  std::uint64_t now = 0;
  const VkResult result = vk.semaphore_value(vk.device, timeline_, &now);
  return result == VK_SUCCESS && now < value_ ? VK_NOT_READY : result;
}

VkResult Completion::block(std::chrono::nanoseconds limit) const {
  if (!fence_) return wait_for(device_, {timeline_, value_}, limit);
  const DeviceFunctions& vk = device_.vk;
  return fence_pending_ ? vk.wait_fences(vk.device, 1, fence_.address(), VK_TRUE, timeout_ns(limit))
                        : VK_SUCCESS;
}

}  // namespace metalmom::gpu
