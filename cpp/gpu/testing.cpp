#include "gpu/testing.hpp"

#include "gpu/run/session_pool.hpp"
#include "gpu/vk/faults.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

MemoryUse memory_use(Device& device) {
  device.sessions->drain();
  return {device.memory.live_bytes(), device.memory.reserved_bytes(),
          device.memory.driver_allocations()};
}

void set_memory_limit(Device& device, std::size_t bytes) {
  device.sessions->drain();
  device.sessions->trim();
  device.memory.set_limit(bytes);
}

void age_kept_memory() {
  tend_idle_devices();
}

void fail_allocations(Device& device, int count) {
  device.sessions->drain();
  device.sessions->trim();
  device.memory.trim();
  inject_fault(
      "vkAllocateMemory",
      {.result = VK_ERROR_OUT_OF_DEVICE_MEMORY, .count = count, .device = device.vk.device});
}

void lose_device(Device& device) {
  inject_fault("vkQueueSubmit", {.result = VK_ERROR_DEVICE_LOST, .device = device.vk.device});
}

}  // namespace metalmom::gpu
