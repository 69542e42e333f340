#include "gpu/vk/device_buffer.hpp"

#include "gpu/interop/cuda_device.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

DeviceBuffer::DeviceBuffer(const Device& device, std::size_t bytes, std::uint32_t memory_type,
                           Side side)
    : bytes_(bytes) {
  const DeviceFunctions& vk = device.vk;
  const QueueFamilies& families = device.physical.families;
  // Both queue families may use the buffer, so that its ownership need not be transferred.
  const std::uint32_t sharing[] = {families.compute, families.transfer.value_or(families.compute)};
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = bytes;
  create.usage = storage_usage;
  const bool exports = device.physical.exports_memory && side == Side::device;
  const VkExternalMemoryBufferCreateInfo external{
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  if (exports) create.pNext = &external;
  create.sharingMode = families.transfer ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  create.queueFamilyIndexCount = families.transfer ? 2 : 0;
  create.pQueueFamilyIndices = sharing;
  VkBuffer buffer;
  check(vk.create_buffer(vk.device, &create, nullptr, &buffer), "vkCreateBuffer");
  buffer_ = {vk.device, buffer, vk.destroy_buffer};

  VkMemoryRequirements requirements;
  vk.buffer_requirements(vk.device, buffer, &requirements);
  if (!(requirements.memoryTypeBits & (1u << memory_type)))
    throw DeviceError("the device keeps no storage buffers in its own memory");
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = memory_type;
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.buffer = buffer;
  const VkExportMemoryAllocateInfo exported{
      VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      device.physical.dedicated_exports ? &dedicated : nullptr,
      VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  if (exports) allocate.pNext = &exported;
  VkDeviceMemory memory;
  check(vk.allocate_memory(vk.device, &allocate, nullptr, &memory), "vkAllocateMemory");
  memory_ = {vk.device, memory, vk.free_memory};
  memory_bytes_ = requirements.size;
  check(vk.bind_buffer(vk.device, buffer, memory, 0), "vkBindBufferMemory");
  if (side == Side::device && !device.physical.unified_memory) return;
  void* address;
  check(vk.map_memory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
  mapped_ = static_cast<std::byte*>(address);
}

DeviceBuffer::~DeviceBuffer() = default;

}  // namespace metalmom::gpu
