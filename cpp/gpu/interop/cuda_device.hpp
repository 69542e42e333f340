// A device as CUDA sees it: its context, and imported into it the blocks of memory and the clock
// that CUDA advances.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"
#include "gpu/interop/cuda_api.hpp"
#include "gpu/sharing.hpp"
#include "gpu/slice.hpp"
#include "gpu/vk/block_cache.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Device;
class DeviceBuffer;

// How CUDA is reached. Tests have one of their own.
struct CudaDriver {
  const cuda::Api* api = nullptr;
  // Of a timeline semaphore, for import.
  Descriptor (*semaphore_handle)(const Device& device, VkSemaphore semaphore) = nullptr;
};

// A block of device memory in CUDA's address space.
class CudaMemory {
 public:
  CudaMemory(const cuda::Api& api, cuda::Context context, const Device& device,
             const DeviceBuffer& block);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  cuda::Address address() const { return address_; }

 private:
  const cuda::Api& api_;
  const cuda::Context context_;
  cuda::ExternalMemory memory_ = nullptr;
  cuda::Address address_ = 0;
};

class CudaDevice {
 public:
  // Throws NotShareable, as all calls do.
  explicit CudaDevice(Device& device);
  CudaDevice(Device& device, const CudaDriver& driver);

  const RuntimeDevice& self() const { return self_; }
  // Whether its streams can tell the device when they are past a point.
  bool signals() const { return others_ != nullptr; }
  cuda::Stream own_stream() const { return own_stream_; }
  // Of the first byte of a slice.
  cuda::Address address(const Slice& slice);
  // Waits for the device's work on this memory, so that what CUDA does from here on comes after it.
  // Refuses a stream that is being captured.
  void wait_before(std::optional<cuda::Stream> stream, const OwnedSlice& memory);
  // A tick of the clock of others, which comes after what the stream has to do by now. Throws where
  // streams cannot signal.
  Tick tick_after(cuda::Stream stream);
  // Refuses memory of another device.
  void require_here(cuda::Address address);
  void copy(cuda::Address target, cuda::Address source, std::size_t bytes, cuda::Stream stream);
  void wait_for(cuda::Stream stream);
  // The stream that had the memory is done with it as soon as it has done what it has to do by now;
  // without a stream, as soon as all have. Where CUDA cannot tell when that is, the memory is kept
  // and CUDA asked again with the next.
  void take_back(Allocation memory, std::optional<cuda::Stream> stream) noexcept;

 private:
  using Kept = std::pair<Allocation, std::optional<cuda::Stream>>;
  void find(Device& device);
  bool is_same(const Device& device) const;
  // Whether the stream has nothing to do.
  bool is_idle(cuda::Stream stream);
  cuda::ExternalSemaphore import(VkSemaphore semaphore);

  Device& device_;
  const cuda::Api& api_;
  const CudaDriver driver_;
  RuntimeDevice self_;
  int cuda_device_ = 0;
  cuda::Context context_ = nullptr;
  // Signals the others' clock, whose ticks must come in order, on behalf of all other streams.
  cuda::Stream own_stream_ = nullptr;
  cuda::Event event_ = nullptr;
  cuda::ExternalSemaphore others_ = nullptr;
  std::mutex mutex_;         // guards the event and the others' clock
  std::mutex import_mutex_;  // guards CUDA's imports of blocks; an import takes milliseconds
  std::mutex kept_mutex_;    // guards what follows
  std::vector<Kept> kept_;
};

}  // namespace metalmom::gpu
