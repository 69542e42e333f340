// Shares device arrays with CUDA's users: the same memory for both, or a copy on the device. What
// is said of CUDA holds for HIP on AMD's devices, too, but for semaphores, which HIP lacks: its
// streams are asked, or waited for, in their place. That was never tried on such a device.
//
// A block of memory is exported by Vulkan and imported by libcuda once. CUDA gets an array when the
// device's work on it is done, which the host waits for. A CUDA stream could wait in its place, for
// an exported semaphore; but a device that two drivers use turns from one to the other, and a
// stream that waits is not passed over: it takes a slice of 2 ms from those it waits for, again and
// again, so that a mel spectrogram of 1.2 ms took 5.5. The other way round it does not: what CUDA's
// users let go of is taken again by work that waits on the device for a timeline semaphore, which
// CUDA signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "gpu/run/array.hpp"

namespace metalmom::gpu {

// Memory cannot be shared; the text is a reason, to follow "since".
struct NotShareable : DeviceError {
  using DeviceError::DeviceError;
};

// A CUstream: 1 is the legacy default stream, 2 that of the calling thread, others are addresses.
// HIP's default stream is 0.
using CudaStream = std::uintptr_t;

enum class Runtime { cuda, hip };

// A device as its users there call it.
struct RuntimeDevice {
  Runtime runtime = Runtime::cuda;
  int ordinal = -1;

  CudaStream default_stream() const { return runtime == Runtime::hip ? 0 : 1; }
};

// As all of the following, throws NotShareable where there is none.
RuntimeDevice runtime_device(Device& device);

// An array that CUDA's users have. When it goes, on whatever thread, memory that nobody has any
// more is taken again behind what the stream had to do until then.
class ExportedArray {
 public:
  // Without a stream: of whichever stream.
  ExportedArray(const DeviceData& array, std::optional<CudaStream> stream);
  ~ExportedArray();
  ExportedArray(const ExportedArray&) = delete;

  void* address() const { return address_; }
  const RuntimeDevice& device() const { return device_; }

 private:
  DeviceData array_;
  std::optional<CudaStream> stream_;  // all of them
  void* address_ = nullptr;
  RuntimeDevice device_;
};

// A copy of `bytes` at an address of CUDA's, made by its stream; work on the device follows it. If
// the stream is not known, the copy is waited for.
DeviceData copy_from_cuda(Device& device, const void* source, std::size_t bytes,
                          std::optional<CudaStream> stream);
// The stream that makes such copies.
CudaStream copying_stream(Device& device);

}  // namespace metalmom::gpu
