// When submitted work is done: by a timeline semaphore, or by a fence on devices without them.
#pragma once

#include <chrono>
#include <cstdint>

#include "gpu/vk/clock.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

struct Queue;

class Completion {
 public:
  explicit Completion(Device& device);

  // Submits commands. They come after everything that this object has submitted before, on any
  // queue, and after the device's clock shows `after`. (With a fence there is one queue, and one
  // submission at a time.) Returns the tick of the submission; 0 on queues other than the compute
  // queue.
  Tick submit(Queue& queue, VkCommandBuffer commands, bool after_previous, Tick after);

  // The state of the last submission: VK_SUCCESS when done, VK_NOT_READY when not, or an error.
  VkResult poll() const;
  // The same after at most `limit`; VK_TIMEOUT when it is not done by then.
  VkResult block(std::chrono::nanoseconds limit) const;

 private:
  Device& device_;
  Owned<VkSemaphore> timeline_;
  std::uint64_t value_ = 0;  // the timeline's value when all submitted work is done
  Owned<VkFence> fence_;
  bool fence_pending_ = false;  // not after a submission that failed: nobody will signal it
};

}  // namespace metalmom::gpu
