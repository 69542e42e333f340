// A VkBuffer with memory of its own: the host's, for transfers, or the device's, which other
// libraries may have where the device exports memory. `mapped` where the host sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Device;
class CudaMemory;

// What every buffer is used for.
inline constexpr VkBufferUsageFlags storage_usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                                    VK_BUFFER_USAGE_TRANSFER_DST_BIT;

enum class Side : std::uint8_t { host, device };

class DeviceBuffer {
 public:
  DeviceBuffer(const Device& device, std::size_t bytes, std::uint32_t memory_type, Side side);
  ~DeviceBuffer();
  VkBuffer handle() const { return buffer_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  // null where the host does not see it
  VkDeviceMemory memory() const { return memory_; }
  std::size_t memory_bytes() const { return memory_bytes_; }
  // As CUDA sees it, once it was asked for (gpu/interop/cuda_device.hpp, whose lock is held).
  std::unique_ptr<CudaMemory>& in_cuda() const { return in_cuda_; }

 private:
  std::size_t bytes_, memory_bytes_ = 0;
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  std::byte* mapped_ = nullptr;
  mutable std::unique_ptr<CudaMemory> in_cuda_;  // goes before the memory
};

}  // namespace metalmom::gpu
