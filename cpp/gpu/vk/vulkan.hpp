// Vulkan as this engine calls it: its own function tables, filled at run time, so that nothing
// links to the loader. Included only by the sources of this folder.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace metalmom::gpu {

// The address of a Vulkan function, on its way into a typed pointer; null where not supported.
struct Symbol {
  PFN_vkVoidFunction address;
  template <class Function>
  operator Function() const {
    return reinterpret_cast<Function>(address);
  }
};

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr get_proc;
  Symbol load(const char* name) const { return {get_proc(nullptr, name)}; }

  PFN_vkCreateInstance create_instance = load("vkCreateInstance");
  PFN_vkEnumerateInstanceVersion instance_version = load("vkEnumerateInstanceVersion");
  PFN_vkEnumerateInstanceExtensionProperties extensions =
      load("vkEnumerateInstanceExtensionProperties");
  PFN_vkEnumerateInstanceLayerProperties layers = load("vkEnumerateInstanceLayerProperties");
};

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr get_proc;
  VkInstance instance;
  Symbol load(const char* name) const { return {get_proc(instance, name)}; }

  PFN_vkEnumeratePhysicalDevices physical_devices = load("vkEnumeratePhysicalDevices");
  PFN_vkGetPhysicalDeviceProperties2 properties = load("vkGetPhysicalDeviceProperties2");
  PFN_vkGetPhysicalDeviceFeatures2 features = load("vkGetPhysicalDeviceFeatures2");
  PFN_vkGetPhysicalDeviceMemoryProperties2 memory = load("vkGetPhysicalDeviceMemoryProperties2");
  PFN_vkGetPhysicalDeviceQueueFamilyProperties queue_families =
      load("vkGetPhysicalDeviceQueueFamilyProperties");
  PFN_vkEnumerateDeviceExtensionProperties extensions =
      load("vkEnumerateDeviceExtensionProperties");
  PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT time_domains =
      load("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
  PFN_vkGetPhysicalDeviceExternalBufferProperties external_buffers =
      load("vkGetPhysicalDeviceExternalBufferProperties");
  PFN_vkGetPhysicalDeviceExternalSemaphoreProperties external_semaphores =
      load("vkGetPhysicalDeviceExternalSemaphoreProperties");
  PFN_vkCreateDevice create_device = load("vkCreateDevice");
  PFN_vkGetDeviceProcAddr device_proc = load("vkGetDeviceProcAddr");
  PFN_vkCreateDebugUtilsMessengerEXT create_messenger = load("vkCreateDebugUtilsMessengerEXT");
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label = load("vkCmdBeginDebugUtilsLabelEXT");
  PFN_vkCmdEndDebugUtilsLabelEXT end_label = load("vkCmdEndDebugUtilsLabelEXT");
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr get_proc;
  VkDevice device;
  Symbol load(const char* name) const { return {get_proc(device, name)}; }

  PFN_vkDestroyDevice destroy_device = load("vkDestroyDevice");
  PFN_vkGetDeviceQueue get_queue = load("vkGetDeviceQueue");
  PFN_vkQueueSubmit submit = load("vkQueueSubmit");

  PFN_vkAllocateMemory allocate_memory = load("vkAllocateMemory");
  PFN_vkFreeMemory free_memory = load("vkFreeMemory");
  PFN_vkMapMemory map_memory = load("vkMapMemory");
  PFN_vkGetMemoryFdKHR memory_handle = load("vkGetMemoryFdKHR");
  PFN_vkCreateBuffer create_buffer = load("vkCreateBuffer");
  PFN_vkDestroyBuffer destroy_buffer = load("vkDestroyBuffer");
  PFN_vkGetBufferMemoryRequirements buffer_requirements = load("vkGetBufferMemoryRequirements");
  PFN_vkBindBufferMemory bind_buffer = load("vkBindBufferMemory");

  PFN_vkCreateShaderModule create_shader = load("vkCreateShaderModule");
  PFN_vkDestroyShaderModule destroy_shader = load("vkDestroyShaderModule");
  PFN_vkCreateDescriptorSetLayout create_set_layout = load("vkCreateDescriptorSetLayout");
  PFN_vkDestroyDescriptorSetLayout destroy_set_layout = load("vkDestroyDescriptorSetLayout");
  PFN_vkCreatePipelineLayout create_pipeline_layout = load("vkCreatePipelineLayout");
  PFN_vkDestroyPipelineLayout destroy_pipeline_layout = load("vkDestroyPipelineLayout");
  PFN_vkCreatePipelineCache create_pipeline_cache = load("vkCreatePipelineCache");
  PFN_vkDestroyPipelineCache destroy_pipeline_cache = load("vkDestroyPipelineCache");
  PFN_vkGetPipelineCacheData pipeline_cache_data = load("vkGetPipelineCacheData");
  PFN_vkCreateComputePipelines create_pipelines = load("vkCreateComputePipelines");
  PFN_vkDestroyPipeline destroy_pipeline = load("vkDestroyPipeline");

  PFN_vkCreateDescriptorPool create_descriptor_pool = load("vkCreateDescriptorPool");
  PFN_vkDestroyDescriptorPool destroy_descriptor_pool = load("vkDestroyDescriptorPool");
  PFN_vkResetDescriptorPool reset_descriptor_pool = load("vkResetDescriptorPool");
  PFN_vkAllocateDescriptorSets allocate_sets = load("vkAllocateDescriptorSets");
  PFN_vkUpdateDescriptorSets update_sets = load("vkUpdateDescriptorSets");

  PFN_vkCreateCommandPool create_command_pool = load("vkCreateCommandPool");
  PFN_vkDestroyCommandPool destroy_command_pool = load("vkDestroyCommandPool");
  PFN_vkResetCommandPool reset_command_pool = load("vkResetCommandPool");
  PFN_vkAllocateCommandBuffers allocate_commands = load("vkAllocateCommandBuffers");
  PFN_vkBeginCommandBuffer begin = load("vkBeginCommandBuffer");
  PFN_vkEndCommandBuffer end = load("vkEndCommandBuffer");

  PFN_vkCmdBindPipeline cmd_bind_pipeline = load("vkCmdBindPipeline");
  PFN_vkCmdBindDescriptorSets cmd_bind_sets = load("vkCmdBindDescriptorSets");
  PFN_vkCmdPushConstants cmd_push_constants = load("vkCmdPushConstants");
  PFN_vkCmdDispatch cmd_dispatch = load("vkCmdDispatch");
  PFN_vkCmdPipelineBarrier cmd_barrier = load("vkCmdPipelineBarrier");
  PFN_vkCmdCopyBuffer cmd_copy = load("vkCmdCopyBuffer");
  PFN_vkCmdFillBuffer cmd_fill = load("vkCmdFillBuffer");
  PFN_vkCmdWriteTimestamp cmd_timestamp = load("vkCmdWriteTimestamp");

  PFN_vkCreateQueryPool create_query_pool = load("vkCreateQueryPool");
  PFN_vkDestroyQueryPool destroy_query_pool = load("vkDestroyQueryPool");
  PFN_vkResetQueryPool reset_queries = either("vkResetQueryPool", "vkResetQueryPoolEXT");
  PFN_vkGetQueryPoolResults query_results = load("vkGetQueryPoolResults");

  PFN_vkCreateFence create_fence = load("vkCreateFence");
  PFN_vkDestroyFence destroy_fence = load("vkDestroyFence");
  PFN_vkResetFences reset_fences = load("vkResetFences");
  PFN_vkGetFenceStatus fence_status = load("vkGetFenceStatus");
  PFN_vkWaitForFences wait_fences = load("vkWaitForFences");

  PFN_vkCreateSemaphore create_semaphore = load("vkCreateSemaphore");
  PFN_vkDestroySemaphore destroy_semaphore = load("vkDestroySemaphore");
  // Core names since Vulkan 1.2; drivers of 1.1 with the extension have the KHR ones.
  PFN_vkWaitSemaphores wait_semaphores = either("vkWaitSemaphores", "vkWaitSemaphoresKHR");
  PFN_vkGetSemaphoreCounterValue semaphore_value =
      either("vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR");
  PFN_vkGetSemaphoreFdKHR semaphore_handle = load("vkGetSemaphoreFdKHR");
  PFN_vkGetCalibratedTimestampsEXT calibrated_timestamps = load("vkGetCalibratedTimestampsEXT");

 private:
  Symbol either(const char* core, const char* extension) const {
    const Symbol symbol = load(core);
    return symbol.address ? symbol : load(extension);
  }
};

// Owns an object of a device. Objects of a lost device are destroyed like others.
template <class Handle>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(VkDevice device, Handle handle, Destroy destroy)
      : device_(device), handle_(handle), destroy_(destroy) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Owned() {
    if (handle_) destroy_(device_, handle_, nullptr);
  }

  operator Handle() const { return handle_; }
  const Handle* address() const { return &handle_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
};

// Device memory ran out: the engine retries with smaller pieces before anybody hears of it.
struct OutOfDeviceMemory : DeviceError {
  using DeviceError::DeviceError;
};

// The device is gone for this process.
struct DeviceLost : DeviceError {
  using DeviceError::DeviceError;
};

std::string result_text(VkResult result);

// Throws what an unsuccessful result of `call` means.
void check(VkResult result, const char* call);

}  // namespace metalmom::gpu
