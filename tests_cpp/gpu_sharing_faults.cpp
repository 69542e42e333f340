// Device arrays in CUDA's hands, when something fails.
#include <filesystem>
#include <string>

#include "gpu/vk/faults.hpp"
#include "gpu_sharing_support.hpp"

namespace metalmom::testing {
namespace {

std::size_t open_files() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST_F(GpuSharingUnwatched, EveryCallMayFail) {
  const auto stream = fake_cuda::make_stream();
  const std::vector<float> theirs(count, 4);
  device_->sessions->drain();
  device_->memory.trim();
  const std::size_t live = device_->memory.live_bytes();
  for (const char* function :
       {"push_context", "import_memory", "map_memory", "is_capturing", "query", "copy",
        "record_event", "wait_event", "signal_semaphores"}) {
    for (int skip = 0; skip < 3; ++skip) {
      fake_cuda::fail(function, 1, skip);
      try {
        const gpu::ExportedArray lent(copied(ones), number(stream));
        gpu::copy_from_cuda(*device_, theirs.data(), bytes, number(stream));
      } catch (const gpu::NotShareable& error) {
        EXPECT_NE(std::string(error.what()).find("FAKE_ERROR"), std::string::npos) << function;
      }
      fake_cuda::fail(function, 0);
      EXPECT_TRUE(all_are(copied(ones), 1)) << function;
    }
  }
  gpu::inject_fault("vkGetMemoryFdKHR", {.result = VK_ERROR_TOO_MANY_OBJECTS});
  const gpu::DeviceData fresh = gpu::make_array(*device_, std::size_t{40} << 20);
  EXPECT_THROW(gpu::ExportedArray(fresh, 1), gpu::NotShareable);
  EXPECT_NO_THROW(gpu::ExportedArray(fresh, 1));
  // What could not be given back comes with the next.
  { const gpu::ExportedArray lent(ones, number(stream)); }
  device_->sessions->drain();
  EXPECT_EQ(device_->memory.live_bytes(), live + fresh.memory->bytes);
}

TEST_F(GpuSharing, OpeningMayFail) {
  const std::size_t files = open_files();
  for (const char* function : {"init", "retain_primary_context", "create_stream", "create_event",
                               "import_semaphore", "push_context"}) {
    device_->use_cuda(nullptr);
    const gpu::CudaDriver driver = fake_cuda::start(*device_);
    fake_cuda::fail(function);
    EXPECT_THROW(gpu::CudaDevice(*device_, driver), gpu::NotShareable) << function;
  }
  const gpu::CudaDriver driver = fake_cuda::start(*device_);
  fake_cuda::show_device(false);
  EXPECT_THROW(gpu::CudaDevice(*device_, driver), gpu::NotShareable);
  use_fake();
  EXPECT_NO_THROW(gpu::ExportedArray(ones, 1));
  EXPECT_EQ(open_files(), files);
}

TEST_F(GpuSharing, WhatIsCapturedHasNoOrder) {
  const gpu::DeviceData array = copied(ones);
  fake_cuda::capture(true);
  EXPECT_THROW(gpu::ExportedArray(array, 1), gpu::NotShareable);
  fake_cuda::capture(false);
  auto lent = std::make_unique<gpu::ExportedArray>(array, 1);
  fake_cuda::capture(true);
  lent.reset();  // given back when the next one is
  fake_cuda::capture(false);
  gpu::ExportedArray(array, 1);
}

TEST_F(GpuSharing, MemoryOfAnotherDeviceIsRefused) {
  EXPECT_THROW(gpu::copy_from_cuda(*device_, nullptr, bytes, 1), gpu::NotShareable);
}

TEST_F(GpuTest, ASoftwareDeviceSharesNothing) {
  gpu::Device& device = gpu::open_device();
  if (gpu::info(device).type != gpu::DeviceType::cpu) GTEST_SKIP() << "a real device";
  EXPECT_THROW(gpu::runtime_device(device), gpu::NotShareable);
}

}  // namespace
}  // namespace metalmom::testing
