#include "gpu/vk/vulkan.hpp"

#include <new>

namespace metalmom::gpu {

std::string result_text(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "initialisation failed";
    case VK_ERROR_DEVICE_LOST:
      return "device lost";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "layer not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "feature not present";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "no Vulkan driver found";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "too many objects";
    default:
      return "VkResult " + std::to_string(result);
  }
}

void check(VkResult result, const char* call) {
  if (result >= 0) [[likely]]
    return;
  const std::string text = std::string(call) + ": " + result_text(result);
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      throw std::bad_alloc();
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      throw OutOfDeviceMemory(text);
    case VK_ERROR_DEVICE_LOST:
      throw DeviceLost(text);
    default:
      throw DeviceError(text);
  }
}

}  // namespace metalmom::gpu
