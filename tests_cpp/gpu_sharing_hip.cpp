// Device arrays in the hands of HIP, whose streams signal no semaphores.
#include <atomic>

#include "gpu_sharing_support.hpp"

namespace metalmom::testing {
namespace {

class GpuSharingHip : public GpuSharing {
 protected:
  void SetUp() override {
    GpuSharing::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    device_->use_cuda(nullptr);
    fake_cuda::stop();
    use_fake(gpu::Runtime::hip);
  }
};

TEST_F(GpuSharingHip, ADeviceIsFoundOnTheBus) {
  const gpu::RuntimeDevice device = gpu::runtime_device(*device_);
  EXPECT_EQ(device.runtime, gpu::Runtime::hip);
  EXPECT_EQ(device.ordinal, fake_cuda::ordinal);
  EXPECT_EQ(device.default_stream(), 0u);
  device_->use_cuda(nullptr);
  gpu::CudaDriver driver = fake_cuda::start(*device_, gpu::Runtime::hip);
  fake_cuda::show_device(false);
  EXPECT_THROW(gpu::CudaDevice(*device_, driver), gpu::NotShareable);
}

TEST_F(GpuSharingHip, MemoryIsTakenAgainWhenItsStreamIsFoundIdle) {
  const auto stream = fake_cuda::make_stream();
  gpu::DeviceData array = copied(ones);
  const gpu::Slice where = *array.memory;
  Gate gate;
  std::atomic<bool> intact{false};
  {
    const gpu::ExportedArray lent(array, number(stream));
    array = {};
    fake_cuda::enqueue(stream, gate.waiting());
    fake_cuda::enqueue(stream, [&, at = lent.address()] { intact = all_are(at, 1); });
  }
  const auto is_there = [&](const gpu::DeviceData& other) {
    return other.memory->buffer == where.buffer && other.memory->offset == where.offset;
  };
  const gpu::DeviceData meanwhile = copied(filled(2));
  EXPECT_FALSE(is_there(meanwhile));
  gate.open();
  fake_cuda::synchronize(stream);
  EXPECT_TRUE(intact);
  { const gpu::ExportedArray next(ones, number(stream)); }  // with which the stream is asked again
  std::vector<gpu::DeviceData> later;
  while (later.size() < 100 && (later.empty() || !is_there(later.back())))
    later.push_back(copied(ones));
  EXPECT_LT(later.size(), 100u);
  EXPECT_TRUE(all_are(meanwhile, 2));
}

TEST_F(GpuSharingHip, CopiesAreWaitedFor) {
  const auto stream = fake_cuda::make_stream();
  std::vector<float> theirs(count, 4);
  fake_cuda::enqueue(stream, [&] { std::ranges::fill(theirs, 5.0f); });
  const gpu::DeviceData array = gpu::copy_from_cuda(*device_, theirs.data(), bytes, number(stream));
  std::ranges::fill(theirs, 6.0f);
  EXPECT_TRUE(all_are(array, 5));
}

}  // namespace
}  // namespace metalmom::testing
