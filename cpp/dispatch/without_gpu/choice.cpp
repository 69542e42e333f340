// A build without the GPU engine: there is nothing to choose, and a forced GPU is an error.
#include "dispatch/choice.hpp"

#include "base/error.hpp"
#include "dispatch/setting.hpp"
#include "gpu/device.hpp"

namespace metalmom::dispatch {

Decision choose(const Question&) {
  if (current_setting()->backend == Backend::gpu)
    throw DeviceError("no GPU: " + gpu::no_device_reason());
  return {{}, true, "this build has no GPU engine"};
}

void report_failure(Decision& decision, std::string_view, const gpu::DeviceFailed&) {
  decision.devices.clear();
}

void note_taken(const Kind&, Side, double, double) {}

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
