// Memory of arrays that live on a device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "gpu/slice.hpp"

namespace metalmom::gpu {

class Device;

// One array's memory. It goes back to the device when its last owner drops it, and work in flight
// is an owner.
struct DeviceData {
  Device* device = nullptr;
  Allocation memory;
};

// Uninitialised. Throws DeviceError when there is not enough memory.
DeviceData make_array(Device& device, std::size_t bytes);
// What sees float values on their way, while they are in the processor's cache; any thread calls
// it.
using Look = std::function<void(std::span<const float>)>;
DeviceData copy_to_device(Device& device, const void* source, std::size_t bytes,
                          const Look& look = {});
void copy_to_device(const DeviceData& array, const void* source, const Look& look = {});
// Copies when the work is done that uses the array.
void copy_to_host(const DeviceData& array, void* target);

}  // namespace metalmom::gpu
