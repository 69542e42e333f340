// A build without the GPU engine: there is nothing to choose, and a forced GPU is an error.
#include "dispatch/choice.hpp"

#include "dispatch/setting.hpp"
#include "gpu/device.hpp"

namespace metalmom::dispatch {

Decision choose(const Question&) {
  return {nullptr, true, require_no_gpu_asked()};
}

Decision explain(const Question& question, bool) {
  return choose(question);
}

void report_failure(Decision& decision, std::string_view, const gpu::DeviceFailed&) {
  decision.device = nullptr;
}

std::string take_warning() {
  return {};
}

void let_automatic_take_software(bool) {}

Rates rates_of(gpu::Device&) {
  gpu::throw_no_device();
}
Rates calibrate(gpu::Device& device) {
  return rates_of(device);
}

}  // namespace metalmom::dispatch
