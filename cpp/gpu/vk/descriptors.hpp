// Descriptor sets of one piece of work: taken one after another, given back all at once.
#pragma once

#include <span>
#include <vector>

#include "gpu/slice.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Descriptors {
 public:
  explicit Descriptors(const DeviceFunctions& vk) : vk_(vk) {}

  // A set of `layout` with the bindings as storage buffers 0, 1, 2 ...
  VkDescriptorSet make(VkDescriptorSetLayout layout, std::span<const Binding> bindings);
  void reset();

 private:
  void add_pool();

  const DeviceFunctions& vk_;
  std::vector<Owned<VkDescriptorPool>> pools_;
  std::size_t used_ = 0;
};

}  // namespace metalmom::gpu
