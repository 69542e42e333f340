// A device whose memory is shared with a CUDA made of threads: lavapipe exports memory but no
// semaphores, which the host works in its place.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <future>
#include <optional>
#include <vector>

#include "fake_cuda.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/sharing.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_support.hpp"

namespace metalmom::testing {

inline gpu::CudaStream number(gpu::cuda::Stream stream) {
  return reinterpret_cast<gpu::CudaStream>(stream);
}

// Lets a stream go on.
class Gate {
 public:
  void open() { promise_.set_value(); }
  auto waiting() {
    return [passed = passed_] { passed.wait(); };
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> passed_ = promise_.get_future().share();
};

class GpuSharing : public GpuTest {
 protected:
  static constexpr std::size_t count = 200'000, bytes = count * sizeof(float);

  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    instance_.emplace();
    gpu::PhysicalDevice physical = gpu::describe(*instance_, instance_->physical_devices()[0], 0);
    if (physical.info.type != gpu::DeviceType::cpu)
      GTEST_SKIP() << "the host cannot map its memory";
    if (!physical.info.timeline_semaphores) GTEST_SKIP() << "no timeline semaphores";
    physical.exports_memory = true;
    physical.pci_address = fake_cuda::pci_address;
    device_.emplace(*instance_, physical);
    use_fake();
    ones = filled(1);
  }
  void TearDown() override {
    ones = {};
    if (device_) {
      device_->sessions->drain();
      device_->use_cuda(nullptr);
      device_->sessions->trim();
      device_->memory.trim();
      fake_cuda::stop();
      EXPECT_EQ(device_->memory.live_bytes(), 0u);
      EXPECT_EQ(fake_cuda::imported_blocks(), 0u);
      device_.reset();
    }
    GpuTest::TearDown();
  }
  void use_fake(gpu::Runtime runtime = gpu::Runtime::cuda) {
    const gpu::CudaDriver driver = fake_cuda::start(*device_, runtime);
    device_->use_cuda(std::make_unique<gpu::CudaDevice>(*device_, driver));
  }

  gpu::DeviceData filled(float value) {
    const std::vector<float> values(count, value);
    return gpu::copy_to_device(*device_, values.data(), bytes);
  }
  static bool all_are(const gpu::DeviceData& array, float value) {
    std::vector<float> values(count);
    gpu::copy_to_host(array, values.data());
    return std::ranges::all_of(values, [&](float each) { return each == value; });
  }
  static bool all_are(const void* address, float value) {
    const auto* values = static_cast<const float*>(address);
    return std::all_of(values, values + count, [&](float each) { return each == value; });
  }

  std::optional<gpu::Instance> instance_;
  std::optional<gpu::Device> device_;
  gpu::DeviceData ones;
};

// The validation layer (1.3.239) loses track of a timeline that many host threads wait for and
// signal, stops for seconds, and says itself that this is most likely its own error.
class GpuSharingUnwatched : public GpuSharing {
 protected:
  void SetUp() override {
    unsetenv("METALMOM_VULKAN_VALIDATION");
    GpuSharing::SetUp();
  }
};

}  // namespace metalmom::testing
