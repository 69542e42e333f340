#include "gpu/vk/instance.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/environment.hpp"
#include "gpu/vk/validation.hpp"

namespace metalmom::gpu {

namespace {

constexpr const char* layer_name = "VK_LAYER_KHRONOS_validation";

struct Messages {
  std::mutex mutex;
  std::vector<std::string> texts;
  std::atomic<bool> active{false};
};
Messages& messages() {
  static auto* instance = new Messages;
  return *instance;
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  std::lock_guard lock(messages().mutex);
  messages().texts.emplace_back(data->pMessage);
  return VK_FALSE;
}

template <class Properties, class Member>
bool lists(const std::vector<Properties>& all, Member name, const char* wanted) {
  for (const auto& each : all)
    if (std::strcmp(each.*name, wanted) == 0) return true;
  return false;
}

constexpr const char* install_driver =
    "install the GPU vendor's Vulkan driver (mesa-vulkan-drivers for AMD, Intel and software)";

}  // namespace

bool validation_wanted() {
  return environment_flag("METALMOM_VULKAN_VALIDATION", false);
}

bool validation_active() {
  return messages().active;
}

std::vector<std::string> take_validation_messages() {
  std::lock_guard lock(messages().mutex);
  return std::exchange(messages().texts, {});
}

Instance::Instance() {
  // Never closed: drivers keep threads and thread-local destructors of their own.
  void* library = nullptr;
  for (const char* name :
       {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"})
    if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
  const auto get_proc =
      library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"))
              : nullptr;
  if (!get_proc) {
    problem_ = "no Vulkan loader: libvulkan.so.1 cannot be opened; install libvulkan1 and ";
    problem_ += install_driver;
    return;
  }
  create(GlobalFunctions{get_proc});
  if (ready()) enumerate();
}

void Instance::create(const GlobalFunctions& global) {
  std::uint32_t version = VK_API_VERSION_1_0;
  if (global.instance_version) global.instance_version(&version);
  if (version < VK_API_VERSION_1_1) {
    problem_ = "the Vulkan loader is older than Vulkan 1.1; update libvulkan1";
    return;
  }
  std::uint32_t count = 0;
  global.layers(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  global.layers(&count, layers.data());
  const bool validate =
      validation_wanted() && lists(layers, &VkLayerProperties::layerName, layer_name);

  count = 0;
  global.extensions(nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  global.extensions(nullptr, &count, extensions.data());
  std::vector<const char*> enabled;
  labels_ =
      lists(extensions, &VkExtensionProperties::extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (labels_) enabled.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = application.pEngineName = "metalmom";
  application.apiVersion = version >= VK_API_VERSION_1_2 ? VK_API_VERSION_1_2 : VK_API_VERSION_1_1;
  VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pApplicationInfo = &application;
  create.enabledLayerCount = validate;
  create.ppEnabledLayerNames = &layer_name;
  // Checks hazards between commands, too: a missing barrier goes unseen on devices that run
  // commands one after another.
  const auto between_commands = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &between_commands;
  if (validate) {
    enabled.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
    create.pNext = &features;
  }
  create.enabledExtensionCount = static_cast<std::uint32_t>(enabled.size());
  create.ppEnabledExtensionNames = enabled.data();
  if (const VkResult result = global.create_instance(&create, nullptr, &instance_);
      result != VK_SUCCESS) {
    instance_ = VK_NULL_HANDLE;
    problem_ = "the Vulkan loader makes no instance (" + result_text(result) + "); ";
    problem_ += install_driver;
    return;
  }
  functions_ = InstanceFunctions{global.get_proc, instance_};
  if (!validate || !labels_) return;
  messages().active = true;
  VkDebugUtilsMessengerCreateInfoEXT messenger{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                          VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  VkDebugUtilsMessengerEXT handle;
  functions_.create_messenger(instance_, &messenger, nullptr, &handle);
}

void Instance::enumerate() {
  std::uint32_t count = 0;
  VkResult result = functions_.physical_devices(instance_, &count, nullptr);
  if (result == VK_SUCCESS && count > 0) {
    devices_.resize(count);
    result = functions_.physical_devices(instance_, &count, devices_.data());
    devices_.resize(result >= 0 ? count : 0);
  }
  if (!devices_.empty()) return;
  problem_ = "the Vulkan loader finds no device";
  if (result < 0) problem_ += " (" + result_text(result) + ")";
  problem_ += "; ";
  problem_ += install_driver;
}

}  // namespace metalmom::gpu
