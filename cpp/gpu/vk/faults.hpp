// Errors on order, for the tests of what happens after one: the next calls at a point answer with a
// given result instead of reaching the driver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

enum class FaultPoint : std::uint8_t { submit, look, wait, allocate, export_memory, build, open };
inline constexpr std::size_t n_fault_points = 7;

// From the call after `skip` more on, `count` calls at `point` answer with `result`: on the device
// of this index, or on whichever (-1).
void inject_fault(FaultPoint point, VkResult result, int count = 1, int skip = 0, int device = -1);

// What the engine asks before each such call: VK_SUCCESS unless a fault is due.
VkResult take_fault(FaultPoint point, int device);

}  // namespace metalmom::gpu
