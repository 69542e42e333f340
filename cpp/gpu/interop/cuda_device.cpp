#include "gpu/interop/cuda_device.hpp"

#include <algorithm>

#include "gpu/sharing.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

// PCI's number of the vendor whose devices HIP runs on.
constexpr std::uint32_t amd = 0x1002;

// CUDA's calls are about the context that is current on their thread.
class InContext {
 public:
  InContext(const cuda::Api& api, cuda::Context context) : api_(api) {
    cuda::check(api, api.push_context(context), "cuCtxPushCurrent");
  }
  ~InContext() {
    cuda::Context popped;
    api_.pop_context(&popped);
  }
  InContext(const InContext&) = delete;

 private:
  const cuda::Api& api_;
};

Descriptor exported(const Device& device, const DeviceBuffer& block) {
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = block.memory();
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  const VkResult result = device.vk.memory_handle(device.vk.device, &info, &fd);
  if (result != VK_SUCCESS) throw NotShareable("vkGetMemoryFdKHR: " + result_text(result));
  return Descriptor(fd);
}

Descriptor exported_timeline(const Device& device, VkSemaphore semaphore) {
  VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  info.semaphore = semaphore;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  const VkResult result = device.vk.semaphore_handle(device.vk.device, &info, &fd);
  if (result != VK_SUCCESS) throw NotShareable("vkGetSemaphoreFdKHR: " + result_text(result));
  return Descriptor(fd);
}

CudaDriver system_driver(const Device& device) {
  if (!device.physical.exports_memory)
    throw NotShareable(
        device.physical.info.type == DeviceType::cpu
            ? "a software device has no memory that CUDA sees"
            : "its driver exports no memory with timeline semaphores (VK_KHR_external_memory_fd, "
              "VK_KHR_external_semaphore_fd)");
  const Runtime runtime = device.physical.vendor == amd ? Runtime::hip : Runtime::cuda;
  return {&cuda::api(runtime), &exported_timeline};
}

// Capture records what a stream is given, for later: nothing can come after it now.
void refuse_capture(const cuda::Api& api, cuda::Stream stream) {
  int status = 0;
  cuda::check(api, api.is_capturing(stream, &status), "cuStreamIsCapturing");
  if (status) throw NotShareable("the stream is being captured into a CUDA graph");
}

}  // namespace

CudaMemory::CudaMemory(const cuda::Api& api, cuda::Context context, const Device& device,
                       const DeviceBuffer& block)
    : api_(api), context_(context) {
  Descriptor fd = exported(device, block);
  cuda::MemoryHandle handle;
  handle.handle.fd = fd.get();
  handle.bytes = block.memory_bytes();
  if (device.physical.dedicated_exports) handle.flags = cuda::dedicated_memory;
  cuda::check(api, api.import_memory(&memory_, &handle), "cuImportExternalMemory");
  fd.release();  // libcuda closes it, since the import has succeeded
  const cuda::MappedRange whole{0, block.bytes(), 0, {}};
  if (const cuda::Result result = api.map_memory(&address_, memory_, &whole)) {
    api.destroy_memory(memory_);
    cuda::check(api, result, "cuExternalMemoryGetMappedBuffer");
  }
}

CudaMemory::~CudaMemory() {
  try {
    const InContext current(api_, context_);
    api_.free_address(address_);
    api_.destroy_memory(memory_);
  } catch (const NotShareable&) {
    // CUDA has ended before this process, and its mappings with it.
  }
}

CudaDevice::CudaDevice(Device& device) : CudaDevice(device, system_driver(device)) {}

CudaDevice::CudaDevice(Device& device, const CudaDriver& driver)
    : device_(device), api_(*driver.api), driver_(driver) {
  cuda::check(api_, api_.init(0), "cuInit");
  find(device);
  cuda::check(api_, api_.retain_primary_context(&context_, cuda_device_),
              "cuDevicePrimaryCtxRetain");
  const InContext current(api_, context_);
  cuda::check(api_, api_.create_stream(&own_stream_, cuda::non_blocking_stream), "cuStreamCreate");
  cuda::check(api_, api_.create_event(&event_, cuda::event_without_timing), "cuEventCreate");
  if (api_.import_semaphore) others_ = import(device.others.at(0).semaphore);
}

void CudaDevice::find(Device& device) {
  int count = 0;
  cuda::check(api_, api_.device_count(&count), "cuDeviceGetCount");
  for (int i = 0; i < count; ++i) {
    cuda::check(api_, api_.device_get(&cuda_device_, i), "cuDeviceGet");
    if (!is_same(device)) continue;
    self_ = {api_.runtime, i};
    return;
  }
  throw NotShareable(api_.runtime == Runtime::hip
                         ? "it is none of the devices that HIP sees (HIP_VISIBLE_DEVICES?)"
                         : "it is none of the devices that CUDA sees (CUDA_VISIBLE_DEVICES?)");
}

bool CudaDevice::is_same(const Device& device) const {
  if (api_.device_uuid) {
    cuda::Uuid uuid;
    cuda::check(api_, api_.device_uuid(&uuid, cuda_device_), "cuDeviceGetUuid_v2");
    return std::ranges::equal(uuid, device.physical.device_uuid);
  }
  char address[16] = {};
  cuda::check(api_, api_.pci_address(address, sizeof(address), cuda_device_),
              "cuDeviceGetPCIBusId");
  return device.physical.pci_address == address;
}

cuda::ExternalSemaphore CudaDevice::import(VkSemaphore semaphore) {
  Descriptor fd = driver_.semaphore_handle(device_, semaphore);
  cuda::SemaphoreHandle handle;
  handle.handle.fd = fd.get();
  cuda::ExternalSemaphore imported;
  cuda::check(api_, api_.import_semaphore(&imported, &handle), "cuImportExternalSemaphore");
  fd.release();  // libcuda closes it, since the import has succeeded
  return imported;
}

cuda::Address CudaDevice::address(const Slice& slice) {
  std::lock_guard lock(import_mutex_);
  auto& memory = slice.buffer->in_cuda();
  if (!memory) {
    const InContext current(api_, context_);
    memory = std::make_unique<CudaMemory>(api_, context_, device_, *slice.buffer);
  }
  return memory->address() + slice.offset;
}

void CudaDevice::wait_before(std::optional<cuda::Stream> stream, const OwnedSlice& memory) {
  if (stream) {
    const InContext current(api_, context_);
    refuse_capture(api_, *stream);
  }
  device_.wait_interruptibly(memory.busy_until);
}

Tick CudaDevice::tick_after(cuda::Stream stream) {
  if (!signals()) throw NotShareable("HIP's streams signal no semaphore");
  std::lock_guard lock(mutex_);
  const InContext current(api_, context_);
  refuse_capture(api_, stream);
  cuda::check(api_, api_.record_event(event_, stream), "cuEventRecord");
  cuda::check(api_, api_.wait_event(own_stream_, event_, 0), "cuStreamWaitEvent");
  cuda::SemaphoreValue tick;
  tick.value = device_.others.next().value;
  cuda::check(api_, api_.signal_semaphores(&others_, &tick, 1, own_stream_),
              "cuSignalExternalSemaphoresAsync");
  return device_.others.tick();
}

void CudaDevice::require_here(cuda::Address address) {
  const InContext current(api_, context_);
  int ordinal = -1;
  const auto result = api_.pointer_attribute(&ordinal, cuda::device_ordinal_attribute, address);
  cuda::check(api_, result, "cuPointerGetAttribute");
  if (ordinal != self_.ordinal)
    throw NotShareable("its memory is that of CUDA device " + std::to_string(ordinal) +
                       ", not of " + std::to_string(self_.ordinal));
}

void CudaDevice::copy(cuda::Address target, cuda::Address source, std::size_t bytes,
                      cuda::Stream stream) {
  const InContext current(api_, context_);
  cuda::check(api_, api_.copy(target, source, bytes, stream), "cuMemcpyDtoDAsync");
}

void CudaDevice::wait_for(cuda::Stream stream) {
  const InContext current(api_, context_);
  cuda::check(api_, api_.synchronize(stream), "cuStreamSynchronize");
}

bool CudaDevice::is_idle(cuda::Stream stream) {
  const InContext current(api_, context_);
  refuse_capture(api_, stream);
  int mode = cuda::relaxed_capture_mode;  // others may be capturing
  api_.exchange_capture_mode(&mode);
  const cuda::Result result = api_.query(stream);
  api_.exchange_capture_mode(&mode);
  return result == 0;
}

void CudaDevice::take_back(Allocation memory, std::optional<cuda::Stream> stream) noexcept {
  std::vector<Kept> due;
  {
    std::lock_guard lock(kept_mutex_);
    due.swap(kept_);
  }
  due.emplace_back(std::move(memory), stream);
  // CUDA's comes after all streams' work, except those streams' that were made not to block.
  const auto default_stream = reinterpret_cast<cuda::Stream>(self_.default_stream());
  for (auto& [each, its_stream] : due) {
    const cuda::Stream asked = its_stream.value_or(default_stream);
    try {
      // Without a signal, for which the device would turn from Vulkan's work to CUDA's and back:
      // that takes it 0.2 ms.
      if ((its_stream || !signals()) && is_idle(asked)) continue;
      each->used_by_others_until(tick_after(asked));
    } catch (const DeviceError&) {
      std::lock_guard lock(kept_mutex_);
      kept_.emplace_back(std::move(each), its_stream);
    }
  }
}

}  // namespace metalmom::gpu
