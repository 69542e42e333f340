// What the layers above may call once a device was opened, which this build never does.
#include "gpu/device.hpp"
#include "gpu/run/array.hpp"
#include "gpu/run/run.hpp"
#include "gpu/sharing.hpp"
#include "gpu/testing.hpp"
#include "gpu/vk/validation.hpp"

namespace metalmom::gpu {

const DeviceInfo& info(const Device&) {
  throw_no_device();
}
std::string lost_reason(const Device&) {
  return {};
}
bool any_opened() {
  return false;
}
void finish_work(Device&) {}
void finish_all_work() {}
void keep_to_memory_limits() {}
void save_pipelines() {}
std::size_t release_memory() {
  return 0;
}

void run(Device&, std::span<Work>) {
  throw_no_device();
}

DeviceData make_array(Device&, std::size_t) {
  throw_no_device();
}
DeviceData copy_to_device(Device&, const void*, std::size_t, const Look&) {
  throw_no_device();
}
void copy_to_host(const DeviceData&, void*) {
  throw_no_device();
}

RuntimeDevice runtime_device(Device&) {
  throw_no_device();
}
ExportedArray::ExportedArray(const DeviceData&, std::optional<CudaStream>) {
  throw_no_device();
}
ExportedArray::~ExportedArray() = default;
DeviceData copy_from_cuda(Device&, const void*, std::size_t, std::optional<CudaStream>) {
  throw_no_device();
}
CudaStream copying_stream(Device&) {
  throw_no_device();
}

MemoryUse memory_use(Device&) {
  return {};
}
void set_memory_limit(Device&, std::size_t) {}
void age_kept_memory() {}
void fail_allocations(Device&, int) {}
void lose_device(Device&) {}
Stall::Stall() = default;
Stall::~Stall() = default;
bool Stall::await_waiters(int, std::chrono::seconds) {
  return false;
}

bool validation_wanted() {
  return false;
}
bool validation_active() {
  return false;
}
std::vector<std::string> take_validation_messages() {
  return {};
}

}  // namespace metalmom::gpu
