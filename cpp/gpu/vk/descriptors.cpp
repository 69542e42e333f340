#include "gpu/vk/descriptors.hpp"

#include <array>

#include "base/ceil_div.hpp"
#include "gpu/vk/device_buffer.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::uint32_t sets_per_pool = 64, max_bindings = 8;

}  // namespace

void Descriptors::reset() {
  used_ = 0;
  for (const auto& pool : pools_)
    check(vk_.reset_descriptor_pool(vk_.device, pool, 0), "vkResetDescriptorPool");
}

void Descriptors::add_pool() {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets_per_pool * max_bindings};
  VkDescriptorPoolCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  create.maxSets = sets_per_pool;
  create.poolSizeCount = 1;
  create.pPoolSizes = &size;
  VkDescriptorPool pool;
  check(vk_.create_descriptor_pool(vk_.device, &create, nullptr, &pool), "vkCreateDescriptorPool");
  pools_.emplace_back(vk_.device, pool, vk_.destroy_descriptor_pool);
}

VkDescriptorSet Descriptors::make(VkDescriptorSetLayout layout, std::span<const Binding> bindings) {
  if (bindings.size() > max_bindings) throw DeviceError("a kernel binds too many buffers");
  if (used_ == pools_.size() * sets_per_pool) add_pool();
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pools_[used_++ / sets_per_pool];
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set;
  check(vk_.allocate_sets(vk_.device, &allocate, &set), "vkAllocateDescriptorSets");

  std::array<VkDescriptorBufferInfo, max_bindings> buffers;
  std::array<VkWriteDescriptorSet, max_bindings> updates;
  const auto count = static_cast<std::uint32_t>(bindings.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Slice& slice = bindings[i].slice;
    // Rounded up to whole words, so that a shader may read the last bytes of a slice of odd size.
    buffers[i] = {slice.buffer->handle(), slice.offset,
                  round_up(slice.bytes, sizeof(std::uint32_t))};
    updates[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set,         i,      0, 1,
                  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,      nullptr, &buffers[i], nullptr};
  }
  vk_.update_sets(vk_.device, count, updates.data(), 0, nullptr);
  return set;
}

}  // namespace metalmom::gpu
