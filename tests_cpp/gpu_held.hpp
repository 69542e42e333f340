// A device that does not begin its work.
#pragma once

#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::testing {

// Compute work that is submitted from here on does not begin before this goes.
class Held {
 public:
  explicit Held(gpu::Device& device) : device_(device), semaphore_(gpu::make_timeline(device)) {
    until_ = device.submit(device.compute, {.previous = {semaphore_, 1}});
  }
  ~Held() {
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = semaphore_;
    info.value = 1;
    gpu::Function<PFN_vkSignalSemaphore>(device_.vk.load("vkSignalSemaphore"))(device_.vk.device,
                                                                               &info);
    device_.clock.wait(until_);
  }
  Held(const Held&) = delete;

 private:
  gpu::Device& device_;
  gpu::Owned<VkSemaphore> semaphore_;
  gpu::Tick until_;
};

}  // namespace metalmom::testing
