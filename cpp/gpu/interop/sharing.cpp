#include "gpu/sharing.hpp"

#include "gpu/interop/cuda_device.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

std::optional<cuda::Stream> cuda_stream(std::optional<CudaStream> stream) {
  if (!stream) return {};
  return reinterpret_cast<cuda::Stream>(*stream);
}

cuda::Address cuda_address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

RuntimeDevice runtime_device(Device& device) {
  device.require_own_process();
  return device.cuda().self();
}

ExportedArray::ExportedArray(const DeviceData& array, std::optional<CudaStream> stream)
    : array_(array), stream_(stream) {
  array.device->require_own_process();
  CudaDevice& cuda = array.device->cuda();
  device_ = cuda.self();
  address_ = reinterpret_cast<void*>(cuda.address(*array.memory));
  cuda.wait_before(cuda_stream(stream), *array.memory);
  // The default stream of a thread has another name on other threads, one of which may let go.
  constexpr CudaStream of_thread = 2;
  if (stream_ == of_thread) stream_.reset();
}

ExportedArray::~ExportedArray() {
  if (array_.device->in_own_process())
    array_.device->cuda().take_back(std::move(array_.memory), cuda_stream(stream_));
}

CudaStream copying_stream(Device& device) {
  device.require_own_process();
  return reinterpret_cast<CudaStream>(device.cuda().own_stream());
}

DeviceData copy_from_cuda(Device& device, const void* source, std::size_t bytes,
                          std::optional<CudaStream> stream) {
  CudaDevice& cuda = device.cuda();
  DeviceData array = make_array(device, bytes);
  if (!bytes) return array;
  cuda.require_here(cuda_address(source));
  const cuda::Stream copying = cuda_stream(stream).value_or(cuda.own_stream());
  cuda.wait_before(copying, *array.memory);
  cuda.copy(cuda.address(*array.memory), cuda_address(source), bytes, copying);
  try {
    if (!stream || !cuda.signals()) {
      cuda.wait_for(copying);
    } else {
      const Tick copied = cuda.tick_after(copying);
      array.memory->used_by_others_until(copied);
      array.memory->used_until(device.follow_others(copied));
    }
  } catch (...) {
    cuda.take_back(array.memory, copying);  // nobody has it before the copy is done
    throw;
  }
  return array;
}

}  // namespace metalmom::gpu
