#include "gpu/completion.hpp"

#include "gpu/vulkan_device.hpp"

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
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore semaphore;
  check(vk.create_semaphore(vk.device, &create, nullptr, &semaphore), "vkCreateSemaphore");
  timeline_ = {vk.device, semaphore, vk.destroy_semaphore};
}

void Completion::submit(Queue& queue, const VkCommandBuffer& commands, bool after_previous) {
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  if (fence_) {
    fence_pending_ = false;
    check(device_.vk.reset_fences(device_.vk.device, 1, fence_.address()), "vkResetFences");
    device_.submit(queue, submit, fence_);
    fence_pending_ = true;
    return;
  }
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const std::uint64_t before = value_, after = value_ + 1;
  VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timeline.waitSemaphoreValueCount = after_previous;
  timeline.pWaitSemaphoreValues = &before;
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &after;
  submit.pNext = &timeline;
  submit.waitSemaphoreCount = after_previous;
  submit.pWaitSemaphores = timeline_.address();
  submit.pWaitDstStageMask = &stage;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = timeline_.address();
  device_.submit(queue, submit);
  value_ = after;
}

VkResult Completion::poll() const {
  const DeviceFunctions& vk = device_.vk;
  if (fence_) return fence_pending_ ? vk.fence_status(vk.device, fence_) : VK_SUCCESS;
  std::uint64_t now = 0;
  const VkResult result = vk.semaphore_value(vk.device, timeline_, &now);
  return result == VK_SUCCESS && now < value_ ? VK_NOT_READY : result;
}

VkResult Completion::block(std::uint64_t limit_ns) const {
  const DeviceFunctions& vk = device_.vk;
  if (fence_)
    return fence_pending_ ? vk.wait_fences(vk.device, 1, fence_.address(), VK_TRUE, limit_ns)
                          : VK_SUCCESS;
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = timeline_.address();
  info.pValues = &value_;
  return vk.wait_semaphores(vk.device, &info, limit_ns);
}

}  // namespace metalmom::gpu
