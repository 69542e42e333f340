// Memory of arrays that live on a device.
#pragma once

#include <cstddef>
#include <memory>

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
DeviceData copy_to_device(Device& device, const void* source, std::size_t bytes);
void copy_to_device(const DeviceData& array, const void* source);
// Copies when all work that was submitted before is done.
void copy_to_host(const DeviceData& array, void* target);

}  // namespace metalmom::gpu
