// A build without the GPU engine: there is nothing to choose, and a forced GPU is an error.
#include "dispatch/choice.hpp"

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace metalmom::dispatch {

std::string take_warning() {
  return {};
}

void let_automatic_take_software(bool) {}

const Rates& rates_of(gpu::Device&) {
  throw DeviceError("no GPU: " + gpu::no_device_reason());
}
const Rates& calibrate(gpu::Device& device) {
  return rates_of(device);
}

}  // namespace metalmom::dispatch
