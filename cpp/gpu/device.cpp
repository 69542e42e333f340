#include "gpu/device.hpp"

#include "base/error.hpp"

namespace metalmom::gpu {

std::vector<DeviceInfo> devices() { return {}; }
std::string no_device_reason() { return "not yet"; }
Device& open_device(int) { throw DeviceError(no_device_reason()); }

}  // namespace metalmom::gpu
