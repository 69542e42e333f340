// A VkBuffer with memory of its own; `mapped` where the host sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/vulkan.hpp"

namespace metalmom::gpu {

class Device;

class DeviceBuffer {
 public:
  DeviceBuffer(const Device& device, std::size_t bytes, std::uint32_t memory_type, bool map);
  VkBuffer handle() const { return buffer_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }

 private:
  std::size_t bytes_;
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  std::byte* mapped_ = nullptr;
};

}  // namespace metalmom::gpu
