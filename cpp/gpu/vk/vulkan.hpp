// Vulkan as this engine calls it: its own function tables, filled at run time, so that nothing
// links to the loader. Included only below gpu/.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "gpu/vk/faults.hpp"

namespace metalmom::gpu {

// The address of a Vulkan function, on its way into a table; null where not supported.
struct Symbol {
  PFN_vkVoidFunction address;
  const char* name;
  VkDevice device = VK_NULL_HANDLE;  // null: of an instance, or of none
};

// A function in a table, as its pointer. Tests let those fail that answer with a VkResult
// (faults.hpp).
template <class Pointer>
class Function;
template <class Result, class... Args>
class Function<Result(VKAPI_PTR*)(Args...)> {
 public:
  using Pointer = Result(VKAPI_PTR*)(Args...);

  Function(const Symbol& symbol)
      : pointer_(reinterpret_cast<Pointer>(symbol.address)),
        name_(symbol.name),
        device_(symbol.device) {
    if constexpr (may_fail) detail::note_function(name_);
  }
  operator Pointer() const { return pointer_; }
  Result operator()(Args... args) const {
    if constexpr (may_fail)
      if (const VkResult fault = take_fault(name_, device_); fault != VK_SUCCESS) return fault;
    return pointer_(args...);
  }

 private:
  static constexpr bool may_fail = std::is_same_v<Result, VkResult>;

  Pointer pointer_;
  const char* name_;
  VkDevice device_;
};

struct GlobalFunctions {
  PFN_vkGetInstanceProcAddr get_proc;
  Symbol load(const char* name) const { return {get_proc(nullptr, name), name}; }

  Function<PFN_vkCreateInstance> create_instance = load("vkCreateInstance");
  Function<PFN_vkEnumerateInstanceVersion> instance_version = load("vkEnumerateInstanceVersion");
  Function<PFN_vkEnumerateInstanceExtensionProperties> extensions =
      load("vkEnumerateInstanceExtensionProperties");
  Function<PFN_vkEnumerateInstanceLayerProperties> layers =
      load("vkEnumerateInstanceLayerProperties");
};

struct InstanceFunctions {
  PFN_vkGetInstanceProcAddr get_proc;
  VkInstance instance;
  Symbol load(const char* name) const { return {get_proc(instance, name), name}; }

  Function<PFN_vkEnumeratePhysicalDevices> physical_devices = load("vkEnumeratePhysicalDevices");
  Function<PFN_vkGetPhysicalDeviceProperties2> properties = load("vkGetPhysicalDeviceProperties2");
  Function<PFN_vkGetPhysicalDeviceFeatures2> features = load("vkGetPhysicalDeviceFeatures2");
  Function<PFN_vkGetPhysicalDeviceMemoryProperties2> memory =
      load("vkGetPhysicalDeviceMemoryProperties2");
  Function<PFN_vkGetPhysicalDeviceQueueFamilyProperties> queue_families =
      load("vkGetPhysicalDeviceQueueFamilyProperties");
  Function<PFN_vkEnumerateDeviceExtensionProperties> extensions =
      load("vkEnumerateDeviceExtensionProperties");
  Function<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT> time_domains =
      load("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
  Function<PFN_vkGetPhysicalDeviceExternalBufferProperties> external_buffers =
      load("vkGetPhysicalDeviceExternalBufferProperties");
  Function<PFN_vkGetPhysicalDeviceExternalSemaphoreProperties> external_semaphores =
      load("vkGetPhysicalDeviceExternalSemaphoreProperties");
  Function<PFN_vkCreateDevice> create_device = load("vkCreateDevice");
  Function<PFN_vkGetDeviceProcAddr> device_proc = load("vkGetDeviceProcAddr");
  Function<PFN_vkCreateDebugUtilsMessengerEXT> create_messenger =
      load("vkCreateDebugUtilsMessengerEXT");
  Function<PFN_vkCmdBeginDebugUtilsLabelEXT> begin_label = load("vkCmdBeginDebugUtilsLabelEXT");
  Function<PFN_vkCmdEndDebugUtilsLabelEXT> end_label = load("vkCmdEndDebugUtilsLabelEXT");
};

struct DeviceFunctions {
  PFN_vkGetDeviceProcAddr get_proc;
  VkDevice device;
  Symbol load(const char* name) const { return {get_proc(device, name), name, device}; }

  Function<PFN_vkDestroyDevice> destroy_device = load("vkDestroyDevice");
  Function<PFN_vkGetDeviceQueue> get_queue = load("vkGetDeviceQueue");
  Function<PFN_vkQueueSubmit> submit = load("vkQueueSubmit");

  Function<PFN_vkAllocateMemory> allocate_memory = load("vkAllocateMemory");
  Function<PFN_vkFreeMemory> free_memory = load("vkFreeMemory");
  Function<PFN_vkMapMemory> map_memory = load("vkMapMemory");
  Function<PFN_vkGetMemoryFdKHR> memory_handle = load("vkGetMemoryFdKHR");
  Function<PFN_vkCreateBuffer> create_buffer = load("vkCreateBuffer");
  Function<PFN_vkDestroyBuffer> destroy_buffer = load("vkDestroyBuffer");
  Function<PFN_vkGetBufferMemoryRequirements> buffer_requirements =
      load("vkGetBufferMemoryRequirements");
  Function<PFN_vkBindBufferMemory> bind_buffer = load("vkBindBufferMemory");

  Function<PFN_vkCreateShaderModule> create_shader = load("vkCreateShaderModule");
  Function<PFN_vkDestroyShaderModule> destroy_shader = load("vkDestroyShaderModule");
  Function<PFN_vkCreateDescriptorSetLayout> create_set_layout = load("vkCreateDescriptorSetLayout");
  Function<PFN_vkDestroyDescriptorSetLayout> destroy_set_layout =
      load("vkDestroyDescriptorSetLayout");
  Function<PFN_vkCreatePipelineLayout> create_pipeline_layout = load("vkCreatePipelineLayout");
  Function<PFN_vkDestroyPipelineLayout> destroy_pipeline_layout = load("vkDestroyPipelineLayout");
  Function<PFN_vkCreatePipelineCache> create_pipeline_cache = load("vkCreatePipelineCache");
  Function<PFN_vkDestroyPipelineCache> destroy_pipeline_cache = load("vkDestroyPipelineCache");
  Function<PFN_vkGetPipelineCacheData> pipeline_cache_data = load("vkGetPipelineCacheData");
  Function<PFN_vkCreateComputePipelines> create_pipelines = load("vkCreateComputePipelines");
  Function<PFN_vkDestroyPipeline> destroy_pipeline = load("vkDestroyPipeline");

  Function<PFN_vkCreateDescriptorPool> create_descriptor_pool = load("vkCreateDescriptorPool");
  Function<PFN_vkDestroyDescriptorPool> destroy_descriptor_pool = load("vkDestroyDescriptorPool");
  Function<PFN_vkResetDescriptorPool> reset_descriptor_pool = load("vkResetDescriptorPool");
  Function<PFN_vkAllocateDescriptorSets> allocate_sets = load("vkAllocateDescriptorSets");
  Function<PFN_vkUpdateDescriptorSets> update_sets = load("vkUpdateDescriptorSets");

  Function<PFN_vkCreateCommandPool> create_command_pool = load("vkCreateCommandPool");
  Function<PFN_vkDestroyCommandPool> destroy_command_pool = load("vkDestroyCommandPool");
  Function<PFN_vkResetCommandPool> reset_command_pool = load("vkResetCommandPool");
  Function<PFN_vkAllocateCommandBuffers> allocate_commands = load("vkAllocateCommandBuffers");
  Function<PFN_vkBeginCommandBuffer> begin = load("vkBeginCommandBuffer");
  Function<PFN_vkEndCommandBuffer> end = load("vkEndCommandBuffer");

  Function<PFN_vkCmdBindPipeline> cmd_bind_pipeline = load("vkCmdBindPipeline");
  Function<PFN_vkCmdBindDescriptorSets> cmd_bind_sets = load("vkCmdBindDescriptorSets");
  Function<PFN_vkCmdPushConstants> cmd_push_constants = load("vkCmdPushConstants");
  Function<PFN_vkCmdDispatch> cmd_dispatch = load("vkCmdDispatch");
  Function<PFN_vkCmdPipelineBarrier> cmd_barrier = load("vkCmdPipelineBarrier");
  Function<PFN_vkCmdCopyBuffer> cmd_copy = load("vkCmdCopyBuffer");
  Function<PFN_vkCmdFillBuffer> cmd_fill = load("vkCmdFillBuffer");
  Function<PFN_vkCmdWriteTimestamp> cmd_timestamp = load("vkCmdWriteTimestamp");

  Function<PFN_vkCreateQueryPool> create_query_pool = load("vkCreateQueryPool");
  Function<PFN_vkDestroyQueryPool> destroy_query_pool = load("vkDestroyQueryPool");
  Function<PFN_vkResetQueryPool> reset_queries = either("vkResetQueryPool", "vkResetQueryPoolEXT");
  Function<PFN_vkGetQueryPoolResults> query_results = load("vkGetQueryPoolResults");

  Function<PFN_vkCreateFence> create_fence = load("vkCreateFence");
  Function<PFN_vkDestroyFence> destroy_fence = load("vkDestroyFence");
  Function<PFN_vkResetFences> reset_fences = load("vkResetFences");
  Function<PFN_vkGetFenceStatus> fence_status = load("vkGetFenceStatus");
  Function<PFN_vkWaitForFences> wait_fences = load("vkWaitForFences");

  Function<PFN_vkCreateSemaphore> create_semaphore = load("vkCreateSemaphore");
  Function<PFN_vkDestroySemaphore> destroy_semaphore = load("vkDestroySemaphore");
  // Core names since Vulkan 1.2; drivers of 1.1 with the extension have the KHR ones.
  Function<PFN_vkWaitSemaphores> wait_semaphores =
      either("vkWaitSemaphores", "vkWaitSemaphoresKHR");
  Function<PFN_vkGetSemaphoreCounterValue> semaphore_value =
      either("vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR");
  Function<PFN_vkGetSemaphoreFdKHR> semaphore_handle = load("vkGetSemaphoreFdKHR");
  Function<PFN_vkGetCalibratedTimestampsEXT> calibrated_timestamps =
      load("vkGetCalibratedTimestampsEXT");

 private:
  Symbol either(const char* core, const char* extension) const {
    const Symbol symbol = load(core);
    return symbol.address ? symbol : Symbol{get_proc(device, extension), core, device};
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
