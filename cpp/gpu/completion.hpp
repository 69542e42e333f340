// When submitted work is done: by a timeline semaphore, or by a fence on devices without them.
#pragma once

#include <cstdint>

#include "gpu/clock.hpp"
#include "gpu/vulkan.hpp"

namespace metalmom::gpu {

struct Queue;

class Completion {
 public:
  explicit Completion(Device& device);

  // Submits after all that this object has submitted before, on whatever queue, and after the
  // device's clock shows `after`; with a fence there is one queue and one submission at a time. The
  // tick of the submission; 0 beside the compute queue.
  Tick submit(Queue& queue, VkCommandBuffer commands, bool after_previous, Tick after);

  // Of the last submission: VK_SUCCESS when done, VK_NOT_READY when not, or an error.
  VkResult poll() const;
  // The same after at most `limit_ns`; VK_TIMEOUT when it is not done by then.
  VkResult block(std::uint64_t limit_ns) const;

 private:
  Device& device_;
  Owned<VkSemaphore> timeline_;
  std::uint64_t value_ = 0;  // that the timeline reaches when all submitted work is done
  Owned<VkFence> fence_;
  bool fence_pending_ = false;  // a submission that failed leaves nothing to wait for
};

}  // namespace metalmom::gpu
