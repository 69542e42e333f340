// The Vulkan devices of this machine. Nothing here touches Vulkan before the first call: the loader
// is opened at run time, so the library works on machines without one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/fields.hpp"
#include "gpu/slice.hpp"

namespace metalmom::gpu {

enum class DeviceType : std::uint8_t { other, integrated, discrete, virtual_gpu, cpu };

// What Vulkan says of one device, in the loader's order.
struct DeviceInfo {
  int index = 0;
  std::string name;
  std::string label;  // its name, and its index where several have the same name
  std::string uuid;   // hexadecimal digits, by which other libraries know it, too
  DeviceType type = DeviceType::other;
  std::string driver;        // driver and version, as it names itself
  std::string api_version;   // "1.3.230"
  std::uint64_t memory = 0;  // bytes of the largest device-local heap
  // What this process uses of it, and what it keeps for later calls beside that.
  std::uint64_t memory_used = 0, memory_kept = 0;
  Limits limits;
  bool timeline_semaphores = false;  // if not: fences, and one queue for everything
  bool unified_memory = false;       // the host reads and writes the device's memory in place
  std::string unusable;              // why it cannot be used; empty when it can
};

// Who made it, and how many units compute side by side (SMs, CUs, cores).
struct Hardware {
  std::string vendor;       // "NVIDIA"; one that is not known here by its number, "0x1414"
  std::uint32_t units = 0;  // 0: its driver does not tell
};

// [] without a loader, a driver or a device; never throws.
std::vector<DeviceInfo> devices();

// Of one of `devices()`.
Hardware hardware(int index);

// Why `devices()` is empty, in one sentence that says what to install; empty when it is not.
std::string no_device_reason();
[[noreturn]] inline void throw_no_device() {
  throw DeviceError("no GPU: " + no_device_reason());
}

// A device opened for compute: queues, memory pools, pipelines, sessions. Thread-safe.
class Device;

// The device of `index` (an index of `devices()`; -1: the first that is no software device, else
// the first), opened on first use and kept. Throws DeviceError, with the reason, when there is
// none, and from then on when it was lost. A forked child opens its own.
Device& open_device(int index = -1);

const DeviceInfo& info(const Device& device);
// Empty, or why the device is given up for this process.
std::string lost_reason(const Device& device);
// Whether this process has opened a device already.
bool any_opened();
// Waits until all work that was submitted to this device, or to all opened ones, is done.
void finish_work(Device& device);
void finish_all_work();
// Gives the driver back what opened devices only keep for later calls; returns its bytes.
std::size_t release_memory();
// Writes the caches of pipelines, if there are new ones. It happens every few seconds and when the
// process exits; a process that ends otherwise calls this before.
void save_pipelines();
// Gives the driver back what opened devices keep beyond the caller's limit of memory.
void keep_to_memory_limits();

}  // namespace metalmom::gpu

namespace metalmom {

template <>
struct EnumNames<gpu::DeviceType> {
  static constexpr std::array<std::string_view, 5> value = {"other", "integrated", "discrete",
                                                            "virtual", "cpu"};
};

}  // namespace metalmom
