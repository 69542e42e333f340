// A CUDA made of threads, for machines without one: streams are threads, memory is what Vulkan
// maps, and imported semaphores are the host's view of Vulkan's. What can fail fails on order.
// Without semaphores it is a HIP.
#pragma once

#include <functional>
#include <string>

#include "gpu/interop/cuda_device.hpp"

namespace metalmom::testing::fake_cuda {

inline constexpr int ordinal = 1;  // of the device that is Vulkan's; 0 is another

// To be used with this device from here on, until `stop`.
gpu::CudaDriver start(gpu::Device& device, gpu::Runtime runtime = gpu::Runtime::cuda);
// Where HIP's device is on the bus.
inline constexpr const char* pci_address = "0000:c1:00.0";
// Lets all streams run dry.
void stop();

gpu::cuda::Stream make_stream();
// Runs on the stream, in its order.
void enqueue(gpu::cuda::Stream stream, std::function<void()> work);
void synchronize(gpu::cuda::Stream stream);

// The next `count` calls of a function of libcuda fail, after `skip` more that do not.
void fail(const std::string& function, int count = 1, int skip = 0);
// Calls of a function since `start`.
int calls(const std::string& function);
void capture(bool is_capturing);
// Whether the device that is Vulkan's is seen.
void show_device(bool is_shown);

std::size_t imported_blocks();

}  // namespace metalmom::testing::fake_cuda
