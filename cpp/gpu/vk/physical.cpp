#include "gpu/vk/physical.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/environment.hpp"
#include "gpu/vk/device_buffer.hpp"

namespace metalmom::gpu {

namespace {

DeviceType device_type(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return DeviceType::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return DeviceType::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return DeviceType::virtual_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return DeviceType::cpu;
    default:
      return DeviceType::other;
  }
}

// By the numbers that PCI and Khronos give.
std::string vendor_name(std::uint32_t id) {
  switch (id) {
    case 0x1002:
      return "AMD";
    case 0x1010:
      return "Imagination";
    case 0x106b:
      return "Apple";
    case 0x10de:
      return "NVIDIA";
    case 0x13b5:
      return "Arm";
    case 0x5143:
      return "Qualcomm";
    case 0x8086:
      return "Intel";
    case VK_VENDOR_ID_MESA:
      return "Mesa";
    default:
      char text[16];
      std::snprintf(text, sizeof(text), "0x%04x", id);
      return text;
  }
}

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." +
         std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

// Prefers a family that computes but does not draw, as its queue is not shared with a desktop; and
// for transfers one that does neither, which drives the copy engines.
QueueFamilies choose_families(const std::vector<VkQueueFamilyProperties>& all, bool& found) {
  QueueFamilies chosen;
  found = false;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto flags = all[i].queueFlags;
    const bool draws = flags & VK_QUEUE_GRAPHICS_BIT, computes = flags & VK_QUEUE_COMPUTE_BIT;
    if (computes && (!found || !draws)) {
      chosen.compute = i;
      chosen.compute_timestamps = all[i].timestampValidBits;
      found = true;
    }
    if ((flags & VK_QUEUE_TRANSFER_BIT) && !draws && !computes &&
        !(flags & (VK_QUEUE_VIDEO_DECODE_BIT_KHR | 0x40 /* video encode */))) {
      if (chosen.transfer) continue;
      chosen.transfer = i;
      chosen.transfer_count = all[i].queueCount;
      chosen.transfer_timestamps = all[i].timestampValidBits;
    }
  }
  return chosen;
}

bool monotonic_calibration(const InstanceFunctions& vk, VkPhysicalDevice handle) {
  if (!vk.time_domains) return false;
  std::uint32_t count = 0;
  vk.time_domains(handle, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  vk.time_domains(handle, &count, domains.data());
  const auto has = [&](VkTimeDomainEXT domain) {
    return std::find(domains.begin(), domains.end(), domain) != domains.end();
  };
  return has(VK_TIME_DOMAIN_DEVICE_EXT) && has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

// What can be handed over as a file descriptor, which is how CUDA and HIP take it.
bool exports_timelines(const InstanceFunctions& vk, VkPhysicalDevice handle) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkPhysicalDeviceExternalSemaphoreInfo wanted{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, &type,
      VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalSemaphoreProperties found{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  vk.external_semaphores(handle, &wanted, &found);
  return found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

VkExternalMemoryFeatureFlags buffer_exports(const InstanceFunctions& vk, VkPhysicalDevice handle) {
  VkPhysicalDeviceExternalBufferInfo wanted{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  wanted.usage = storage_usage;
  wanted.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties found{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vk.external_buffers(handle, &wanted, &found);
  return found.externalMemoryProperties.externalMemoryFeatures;
}

std::string pci_address(const InstanceFunctions& vk, VkPhysicalDevice handle) {
  VkPhysicalDevicePCIBusInfoPropertiesEXT bus{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &bus};
  vk.properties(handle, &properties);
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", bus.pciDomain, bus.pciBus, bus.pciDevice,
                bus.pciFunction);
  return text;
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t each : bytes)
    for (const int digit : {each >> 4, each & 15}) text += "0123456789abcdef"[digit];
  return text;
}

std::uint64_t largest_local_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max<std::uint64_t>(largest, memory.memoryHeaps[i].size);
  return largest;
}

std::optional<std::uint32_t> unified_type(const VkPhysicalDeviceMemoryProperties& memory) {
  constexpr VkMemoryPropertyFlags needed =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType& type = memory.memoryTypes[i];
    if ((type.propertyFlags & needed) == needed &&
        memory.memoryHeaps[type.heapIndex].size == largest_local_heap(memory))
      return i;
  }
  return {};
}

// Setting the variable to 0 makes the engine do without a feature, as drivers do that lack it.
bool may_use(const char* name) {
  return environment_flag(name, true);
}

Limits kernel_limits(const VkPhysicalDeviceLimits& limits) {
  Limits result;
  result.storage_range = limits.maxStorageBufferRange;
  result.shared_memory = limits.maxComputeSharedMemorySize;
  result.group_threads =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  result.groups_x = limits.maxComputeWorkGroupCount[0];
  result.groups_yz =
      std::min(limits.maxComputeWorkGroupCount[1], limits.maxComputeWorkGroupCount[2]);
  return result;
}

}  // namespace

PhysicalDevice describe(const Instance& instance, VkPhysicalDevice handle, int index) {
  const InstanceFunctions& vk = instance.vk();
  PhysicalDevice device;
  device.handle = handle;

  std::uint32_t count = 0;
  vk.extensions(handle, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vk.extensions(handle, nullptr, &count, extensions.data());
  const auto has = [&](const char* name) {
    return std::any_of(extensions.begin(), extensions.end(), [&](const auto& each) {
      return std::strcmp(each.extensionName, name) == 0;
    });
  };

  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceMaintenance3Properties maintenance{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceIDProperties identity{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceHostQueryResetFeatures query_reset{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, &timeline};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &query_reset};
  properties.pNext = &maintenance;
  maintenance.pNext = &identity;
  vk.properties(handle, &properties);
  const auto& core = properties.properties;
  const bool is_1_2 = core.apiVersion >= VK_API_VERSION_1_2;
  if (is_1_2 || has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) {
    identity.pNext = &driver;
    vk.properties(handle, &properties);
  }
  if (core.apiVersion >= VK_API_VERSION_1_1) vk.features(handle, &features);

  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  vk.memory(handle, &memory);
  device.memory = memory.memoryProperties;

  count = 0;
  vk.queue_families(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.queue_families(handle, &count, families.data());
  bool computes = false;
  device.families = choose_families(families, computes);

  device.pipeline_cache_uuid = hexadecimal(core.pipelineCacheUUID);
  std::memcpy(device.device_uuid.data(), identity.deviceUUID, VK_UUID_SIZE);
  if (has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) device.pci_address = pci_address(vk, handle);
  device.vendor = core.vendorID;
  device.driver_version = core.driverVersion;
  device.bind_alignment =
      std::max<std::size_t>(core.limits.minStorageBufferOffsetAlignment, alignof(std::max_align_t));
  device.max_allocation = maintenance.maxMemoryAllocationSize;
  device.timestamp_ns = core.limits.timestampPeriod;
  device.needs_extensions = !is_1_2;
  device.host_query_reset = query_reset.hostQueryReset;
  device.memory_budget = has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  device.calibrated_timestamps = may_use("METALMOM_VULKAN_CALIBRATED") &&
                                 has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) &&
                                 monotonic_calibration(vk, handle);

  DeviceInfo& info = device.info;
  info.index = index;
  info.name = info.label = core.deviceName;
  info.uuid = hexadecimal(device.device_uuid);
  info.type = device_type(core.deviceType);
  info.driver = driver.driverName;
  if (driver.driverInfo[0]) info.driver += std::string(" ") + driver.driverInfo;
  info.api_version = version_text(core.apiVersion);
  info.memory = largest_local_heap(device.memory);
  info.limits = kernel_limits(core.limits);
  info.timeline_semaphores = timeline.timelineSemaphore && may_use("METALMOM_VULKAN_TIMELINE");
  // The host waits for the clock before it touches memory that the device has used.
  if (info.timeline_semaphores && may_use("METALMOM_VULKAN_UNIFIED"))
    device.unified_memory = unified_type(device.memory);
  info.unified_memory = device.unified_memory.has_value();
  if (core.apiVersion < VK_API_VERSION_1_1) {
    info.unusable = "its driver is older than Vulkan 1.1";
    return device;
  }
  device.exports_timelines = info.timeline_semaphores &&
                             has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
                             exports_timelines(vk, handle);
  if (device.exports_timelines && has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)) {
    const auto exports = buffer_exports(vk, handle);
    device.exports_memory = exports & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
    device.dedicated_exports = exports & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
  }
  if (!computes) info.unusable = "it has no compute queue";
  return device;
}

Hardware describe_hardware(const Instance& instance, const PhysicalDevice& device) {
  // Each vendor tells the units by a structure of its own; a driver skips those that it does not
  // know.
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCoreProperties2AMD amd{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD, &nvidia};
  VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM, &amd};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &arm};
  instance.vk().properties(device.handle, &properties);
  return {vendor_name(device.vendor),
          std::max({nvidia.shaderSMCount, amd.activeComputeUnitCount, arm.shaderCoreCount})};
}

}  // namespace metalmom::gpu
