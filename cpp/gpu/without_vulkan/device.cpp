// A build without Vulkan has no devices, and whatever needs one says so.
#include "gpu/device.hpp"

namespace metalmom::gpu {

std::vector<DeviceInfo> devices() {
  return {};
}

Hardware hardware(int) {
  throw_no_device();
}

std::string no_device_reason() {
  return "this build of metalmom has no GPU engine (METALMOM_GPU=OFF)";
}

Device& open_device(int) {
  throw_no_device();
}

}  // namespace metalmom::gpu
