// The Vulkan loader and the one instance of this process (of each forked process).
#pragma once

#include <string>
#include <vector>

#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Instance {
 public:
  // Opens the loader and makes an instance; does not throw: `problem` then says what is missing.
  Instance();

  bool ready() const { return instance_ != VK_NULL_HANDLE; }
  // What is wrong and what to install, when there is no instance or it sees no device.
  const std::string& problem() const { return problem_; }
  const InstanceFunctions& vk() const { return functions_; }
  const std::vector<VkPhysicalDevice>& physical_devices() const { return devices_; }
  bool has_labels() const { return labels_; }

 private:
  void create(const GlobalFunctions& global);
  void enumerate();

  VkInstance instance_ = VK_NULL_HANDLE;
  InstanceFunctions functions_{
      [](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; }, VK_NULL_HANDLE};
  std::vector<VkPhysicalDevice> devices_;
  std::string problem_;
  bool labels_ = false;
};

}  // namespace metalmom::gpu
