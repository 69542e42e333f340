#include "fake_cuda.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "fake_orders.hpp"
#include "fake_streams.hpp"
#include "gpu/vk/vulkan_device.hpp"

// Vulkan's structs are filled field by field after their type.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace metalmom::gpu::cuda {

struct ExternalMemoryObject {
  VkDeviceMemory memory;
};
struct ExternalSemaphoreObject {
  VkSemaphore semaphore;
};

}  // namespace metalmom::gpu::cuda

namespace metalmom::testing::fake_cuda {

using namespace gpu::cuda;

namespace {

constexpr Result invalid_value = 1;
constexpr int cuda_device = 7;  // a CUdevice is no ordinal

struct State {
  gpu::Device* device = nullptr;
  std::mutex mutex;
  std::vector<std::unique_ptr<StreamObject>> streams;
  std::vector<std::unique_ptr<EventObject>> events;
  std::vector<std::unique_ptr<ExternalSemaphoreObject>> semaphores;
  std::map<int, VkSemaphore> handles;
  std::size_t blocks = 0;
  bool captures = false, shows = true;
};
State state;

FakeOrders orders;
bool fails(const std::string& function) {
  return orders.fails(function);
}

StreamObject& stream_of(Stream stream) {
  std::lock_guard lock(state.mutex);
  const bool is_default = reinterpret_cast<std::uintptr_t>(stream) <= 2;
  return is_default ? *state.streams.front() : *stream;
}

Result import_memory(ExternalMemory* memory, const MemoryHandle* handle) {
  if (fails("import_memory") || handle->kind != opaque_fd) return invalid_value;
  const auto& vk = state.device->vk;
  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = handle->handle.fd;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import};
  allocate.allocationSize = handle->bytes;
  auto imported = std::make_unique<ExternalMemoryObject>();
  if (vk.allocate_memory(vk.device, &allocate, nullptr, &imported->memory) != VK_SUCCESS)
    return invalid_value;
  *memory = imported.release();
  ++state.blocks;
  return 0;
}

Result map_memory(Address* address, ExternalMemory memory, const MappedRange*) {
  if (fails("map_memory")) return invalid_value;
  const auto& vk = state.device->vk;
  void* mapped;
  vk.map_memory(vk.device, memory->memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  *address = reinterpret_cast<std::uintptr_t>(mapped);
  return 0;
}

Result destroy_memory(ExternalMemory memory) {
  const auto& vk = state.device->vk;
  vk.free_memory(vk.device, memory->memory, nullptr);
  delete memory;
  --state.blocks;
  return 0;
}

metalmom::Descriptor semaphore_handle(const gpu::Device&, VkSemaphore semaphore) {
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  state.handles[fd] = semaphore;
  return metalmom::Descriptor(fd);
}

Result import_semaphore(ExternalSemaphore* semaphore, const SemaphoreHandle* handle) {
  if (fails("import_semaphore") || handle->kind != timeline_semaphore_fd) return invalid_value;
  state.semaphores.push_back(
      std::make_unique<ExternalSemaphoreObject>(state.handles.at(handle->handle.fd)));
  *semaphore = state.semaphores.back().get();
  close(handle->handle.fd);
  return 0;
}

Result signal_semaphores(const ExternalSemaphore* semaphores, const SemaphoreValue* values,
                         unsigned, Stream stream) {
  if (fails("signal_semaphores")) return invalid_value;
  stream_of(stream).add([semaphore = (*semaphores)->semaphore, value = values->value] {
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = semaphore;
    info.value = value;
    const auto& vk = state.device->vk;
    gpu::Function<PFN_vkSignalSemaphore>(vk.load("vkSignalSemaphore"))(vk.device, &info);
  });
  return 0;
}

Result record_event(Event event, Stream stream) {
  if (fails("record_event")) return invalid_value;
  event->last = std::make_shared<Record>();
  stream_of(stream).add([record = event->last] {
    std::lock_guard lock(record->mutex);
    record->done = true;
    record->changed.notify_all();
  });
  return 0;
}

Result wait_event(Stream stream, Event event, unsigned) {
  if (fails("wait_event")) return invalid_value;
  stream_of(stream).add([record = event->last] {
    std::unique_lock lock(record->mutex);
    record->changed.wait(lock, [&] { return record->done; });
  });
  return 0;
}

Result device_uuid(Uuid* uuid, int device) {
  *uuid = {};
  if (device == cuda_device) *uuid = state.device->physical.device_uuid;
  return 0;
}

Result pointer_attribute(void* value, int, Address address) {
  const int found = address ? ordinal : 0;
  std::memcpy(value, &found, sizeof(found));
  return 0;
}

Result copy(Address target, Address source, std::size_t bytes, Stream stream) {
  if (fails("copy")) return invalid_value;
  stream_of(stream).add([=] {
    std::memcpy(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), bytes);
  });
  return 0;
}

Result create_event(Event* event, unsigned) {
  if (fails("create_event")) return invalid_value;
  state.events.push_back(std::make_unique<EventObject>());
  *event = state.events.back().get();
  return 0;
}

// Fails on order, else gives a value.
template <class T>
Result give(const char* function, T* target, T value) {
  if (fails(function)) return invalid_value;
  if (target) *target = value;
  return 0;
}

const Api api{
    .init = [](unsigned) { return give<int>("init", nullptr, 0); },
    .error_name = [](Result, const char** name) { return give("error_name", name, "FAKE_ERROR"); },
    .device_count = [](int* count) { return give("device_count", count, state.shows ? 2 : 1); },
    .device_get = [](int* device,
                     int i) { return give("device_get", device, i == ordinal ? cuda_device : 0); },
    .device_uuid = &device_uuid,
    .pci_address =
        [](char* text, int, int device) {
          std::strcpy(text, device == cuda_device ? pci_address : "0000:01:00.0");
          return 0;
        },
    .retain_primary_context =
        [](Context* context, int) {
          return give<Context>("retain_primary_context", context, nullptr);
        },
    .push_context = [](Context) { return give<int>("push_context", nullptr, 0); },
    .pop_context = [](Context*) { return 0; },
    .import_memory = &import_memory,
    .map_memory = &map_memory,
    .free_address = [](Address) { return 0; },
    .destroy_memory = &destroy_memory,
    .pointer_attribute = &pointer_attribute,
    .copy = &copy,
    .import_semaphore = &import_semaphore,
    .signal_semaphores = &signal_semaphores,
    .create_stream = [](Stream* stream,
                        unsigned) { return give("create_stream", stream, make_stream()); },
    .synchronize =
        [](Stream stream) {
          stream_of(stream).drain();
          return 0;
        },
    .query =
        [](Stream stream) {
          return give<int>("query", nullptr, 0) ? invalid_value : int(!stream_of(stream).is_idle());
        },
    .is_capturing = [](Stream,
                       int* status) { return give("is_capturing", status, int(state.captures)); },
    .exchange_capture_mode = [](int*) { return 0; },
    .wait_event = &wait_event,
    .create_event = &create_event,
    .record_event = &record_event,
};

}  // namespace

gpu::CudaDriver start(gpu::Device& device, gpu::Runtime runtime) {
  static Api hip = api;
  hip.runtime = gpu::Runtime::hip;
  hip.device_uuid = nullptr;
  hip.import_semaphore = nullptr;
  hip.signal_semaphores = nullptr;
  state.device = &device;
  orders.clear();
  state.captures = false;
  state.shows = true;
  make_stream();  // the legacy default stream
  return {runtime == gpu::Runtime::hip ? &hip : &api, &semaphore_handle};
}

void stop() {
  for (auto& each : state.streams) each->drain();
  for (auto& each : state.streams) each->end();
  state.streams.clear();
  state.events.clear();
  state.semaphores.clear();
}

Stream make_stream() {
  auto stream = std::make_unique<StreamObject>();
  std::lock_guard lock(state.mutex);
  state.streams.push_back(std::move(stream));
  return state.streams.back().get();
}

void enqueue(Stream stream, std::function<void()> work) {
  stream_of(stream).add(std::move(work));
}

void synchronize(Stream stream) {
  stream_of(stream).drain();
}

void fail(const std::string& function, int count, int skip) {
  orders.fail(function, count, skip);
}

int calls(const std::string& function) {
  return orders.calls(function);
}

void capture(bool is_capturing) {
  state.captures = is_capturing;
}

void show_device(bool is_shown) {
  state.shows = is_shown;
}

std::size_t imported_blocks() {
  return state.blocks;
}

}  // namespace metalmom::testing::fake_cuda
