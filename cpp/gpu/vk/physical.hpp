// What a physical device offers and which of it the engine uses.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "gpu/device.hpp"
#include "gpu/vk/instance.hpp"

namespace metalmom::gpu {

// Queue families of a device: compute must be there; transfers get a family of their own where the
// hardware has one, so that uploads, kernels and downloads overlap.
struct QueueFamilies {
  std::uint32_t compute = 0;
  std::optional<std::uint32_t> transfer;
  std::uint32_t transfer_count = 0;
  // Bits of their timestamps that count; 0: they have none.
  std::uint32_t compute_timestamps = 0, transfer_timestamps = 0;
};

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;
  VkPhysicalDeviceMemoryProperties memory{};
  QueueFamilies families;
  std::string pipeline_cache_uuid;  // of whoever can read compiled pipelines, in hexadecimal digits
  // Its identity for other libraries. The address, as in 0000:c1:00.0, may be empty.
  std::array<std::uint8_t, VK_UUID_SIZE> device_uuid{};
  std::string pci_address;
  std::uint32_t vendor = 0;
  std::uint32_t driver_version = 0;
  std::size_t bind_alignment = 256;  // of a storage buffer's offset
  std::size_t max_allocation = 0;    // bytes of one vkAllocateMemory
  double timestamp_ns = 1;           // per tick
  bool needs_extensions = false;     // Vulkan 1.1: what 1.2 has in its core are extensions
  bool host_query_reset = false;
  bool memory_budget = false;
  // The type of the device's memory, if the host reads and writes all of it as fast as its own
  // (integrated and software devices). Nothing is staged then.
  std::optional<std::uint32_t> unified_memory;
  bool calibrated_timestamps = false;  // of the device and of CLOCK_MONOTONIC together
  // Timelines and memory can be handed to other libraries; memory one buffer at a time only.
  bool exports_timelines = false, exports_memory = false, dedicated_exports = false;
};

PhysicalDevice describe(const Instance& instance, VkPhysicalDevice handle, int index);
Hardware describe_hardware(const Instance& instance, const PhysicalDevice& device);

}  // namespace metalmom::gpu
