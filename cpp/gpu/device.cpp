#include "gpu/device.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/environment.hpp"
#include "base/fork.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

// The instance and what was opened with it. Never destroyed: drivers' threads and the interpreter
// end in no defined order. A forked child makes its own, as no driver survives a fork.
struct Registry {
  // A place for each of `physical`.
  struct Place {
    std::mutex opening;  // held while a driver opens the device: only those who need this one wait
    std::unique_ptr<Device> owner;
    std::atomic<Device*> device{nullptr};  // null until it is open
  };
  Instance instance;
  std::vector<PhysicalDevice> physical;
  std::vector<Place> opened;

  Registry() {
    // METALMOM_VULKAN_COPIES shows each device so many times, and each copy has queues and memory
    // of its own: tests of several devices need only one.
    const Index copies = environment_count("METALMOM_VULKAN_COPIES", 16).value_or(1);
    int index = 0;
    for (Index copy = 0; copy < copies; ++copy)
      for (const VkPhysicalDevice handle : instance.physical_devices())
        physical.push_back(describe(instance, handle, index++));
    for (PhysicalDevice& each : physical)
      if (std::ranges::count(physical, each.info.name, name_of) > 1)
        each.info.label += " (gpu:" + std::to_string(each.info.index) + ")";
    opened = std::vector<Place>(physical.size());
  }

  static const std::string& name_of(const PhysicalDevice& device) { return device.info.name; }

  // The first GPU that can be used, else the first software device that can, else the first device.
  int preferred() const {
    int software = -1;
    for (const PhysicalDevice& each : physical) {
      if (!each.info.unusable.empty()) continue;
      if (each.info.type != DeviceType::cpu) return each.info.index;
      if (software < 0) software = each.info.index;
    }
    return std::max(software, 0);
  }
};

// 1 + the fork generation in which a device was opened last. Apart from the registry, so that
// asking does not make one.
std::atomic<std::uint64_t> opened_in{0};

Registry& registry() {
  static auto* instance = new ForkLocal<Registry>;
  return instance->get();
}

}  // namespace

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> result;
  Registry& all = registry();
  for (const PhysicalDevice& each : all.physical) result.push_back(each.info);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (const Device* device = all.opened[i].device) {
      result[i].memory_used = device->memory.live_bytes();
      result[i].memory_kept = device->memory.kept_bytes();
    }
  return result;
}

Hardware hardware(int index) {
  Registry& all = registry();
  return describe_hardware(all.instance, all.physical.at(static_cast<std::size_t>(index)));
}

std::string no_device_reason() {
  return registry().instance.problem();
}

Device& open_device(int index) {
  Registry& all = registry();
  if (all.physical.empty()) throw_no_device();
  if (index < 0) index = all.preferred();
  const auto count = static_cast<int>(all.physical.size());
  if (index >= count)
    throw DeviceError("there is no GPU " + std::to_string(index) + ": metalmom.devices() lists " +
                      (count > 1 ? "0 to " + std::to_string(count - 1) : "0 alone"));
  const PhysicalDevice& physical = all.physical[static_cast<std::size_t>(index)];
  if (!physical.info.unusable.empty())
    throw DeviceError("GPU " + std::to_string(index) + " (" + physical.info.name +
                      ") cannot be used: " + physical.info.unusable);
  Registry::Place& place = all.opened[static_cast<std::size_t>(index)];
  Device* device = place.device;
  if (!device) {
    std::lock_guard lock(place.opening);
    if (!place.owner) place.owner = std::make_unique<Device>(all.instance, physical);
    place.device = device = place.owner.get();
    opened_in = fork_generation() + 1;
  }
  if (const std::string reason = device->lost_reason(); !reason.empty()) throw DeviceLost(reason);
  return *device;
}

std::string lost_reason(const Device& device) {
  return device.lost_reason();
}

bool any_opened() {
  return opened_in.load(std::memory_order_relaxed) == fork_generation() + 1;
}

void finish_work(Device& device) {
  device.sessions->drain();
}

namespace {

// The opened devices that can still work.
std::vector<Device*> opened_devices() {
  std::vector<Device*> opened;
  if (!any_opened()) return opened;
  Registry& all = registry();
  for (const auto& place : all.opened)
    if (Device* device = place.device; device && device->lost_reason().empty())
      opened.push_back(device);
  return opened;
}

}  // namespace

void finish_all_work() {
  for (Device* device : opened_devices()) device->sessions->drain();
}

std::size_t release_memory() {
  std::size_t bytes = 0;
  for (Device* device : opened_devices()) {
    const std::size_t before = device->memory.reserved_bytes();
    try {
      device->sessions->drain();  // what queued work and interrupted calls hold is kept, too
    } catch (const DeviceError&) {
      // Whoever uses the device next is told.
    }
    device->trim();
    bytes += before - device->memory.reserved_bytes();
  }
  return bytes;
}

void keep_to_memory_limits() {
  for (Device* device : opened_devices()) {
    device->memory.keep_to_limit();
    if (device->memory.is_beyond_limit()) {  // what idle sessions hold is in use to it
      device->sessions->trim();
      device->memory.keep_to_limit();
    }
  }
}

void save_pipelines() {
  for (Device* device : opened_devices()) device->pipelines.save();
}

bool tend_idle_devices() {
  bool keeps = false;
  save_pipelines();
  for (Device* device : opened_devices()) {
    keeps |= device->sessions->age();
    keeps |= device->memory.age();
  }
  return keeps;
}

const DeviceInfo& info(const Device& device) {
  return device.physical.info;
}

}  // namespace metalmom::gpu
