// Whichever call of the driver fails, a call of the engine throws or answers right, and leaves
// nothing behind: no memory in use, and no wrong value for the next call.
#include <numeric>

#include "gpu/run/array.hpp"
#include "gpu/vk/faults.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_support.hpp"

namespace metalmom::testing {
namespace {

class GpuFaults : public DefaultDeviceTest {
 protected:
  void SetUp() override {
    DefaultDeviceTest::SetUp();
    std::iota(values_.begin(), values_.end(), 0.0f);
  }

  // Bytes in use when all that is kept is given back, so that the next call allocates anew.
  static std::size_t live_when_idle() {
    gpu::set_memory_limit(device(), std::size_t{12} << 20);
    device().trim();
    return gpu::memory_use(device()).live;
  }

  std::vector<float> streamed() const {
    std::vector<float> copy(values_.size());
    const CopyOp::In<float> in{{values_.data(), batch, 1, 4 * words}};
    const CopyOp::Out<float> out{{copy.data(), batch, 1, 4 * words}};
    gpu::run_streamed(device(), gpu::KernelTask<CopyOp>({batch, words}, in, out));
    return copy;
  }
  std::vector<float> resident() const {
    const CopyOp::Plan plan{batch, words};
    const CopyOp::In<float> in{{nullptr, batch, 1, 4 * words}};
    const CopyOp::Out<float> out{{nullptr, batch, 1, 4 * words}};
    const gpu::KernelTask<CopyOp> task(plan, in, out);
    const std::size_t bytes = values_.size() * sizeof(float);
    gpu::DeviceData array = gpu::copy_to_device(device(), values_.data(), bytes);
    for (int i = 0; i < 2; ++i) {
      const gpu::DeviceData copy = gpu::make_array(device(), bytes);
      gpu::run_resident(device(), task, {&array, 1}, {&copy, 1});
      array = copy;
    }
    std::vector<float> back(values_.size());
    gpu::copy_to_host(array, back.data());
    return back;
  }

  // Lets the first call at `point` fail, then the second, until a run has no more of them.
  template <class Run>
  void fail_each(gpu::FaultPoint point, VkResult result, Run&& run) {
    EXPECT_EQ(run(), values_);
    const std::size_t live = live_when_idle();
    bool was_due = true;
    int call = 0;
    for (; was_due && call < 100; ++call) {
      gpu::inject_fault(point, result, 1, call);
      try {
        EXPECT_TRUE(run() == values_) << "call " << call;
      } catch (const DeviceError&) {
      }
      for (int i = 0; i <= call; ++i) was_due &= gpu::take_fault(point, -1) == VK_SUCCESS;
      EXPECT_EQ(live_when_idle(), live) << "call " << call;
      EXPECT_TRUE(run() == values_) << "after call " << call;
      live_when_idle();
    }
    // Work that is over when its end is looked for needs no wait.
    EXPECT_GT(call, point == gpu::FaultPoint::wait ? 0 : 1);
    EXPECT_LT(call, 100);
  }

  static constexpr Index batch = 8, words = 40'000;
  std::vector<float> values_ = std::vector<float>(static_cast<std::size_t>(batch * 4 * words));
};

TEST_F(GpuFaults, EveryCallOfTheDriverMayFail) {
  using Point = gpu::FaultPoint;
  for (const Point point : {Point::submit, Point::wait, Point::allocate}) {
    SCOPED_TRACE(static_cast<int>(point));
    fail_each(point, VK_ERROR_UNKNOWN, [&] { return streamed(); });
    fail_each(point, VK_ERROR_UNKNOWN, [&] { return resident(); });
  }
  fail_each(Point::allocate, VK_ERROR_OUT_OF_DEVICE_MEMORY, [&] { return streamed(); });
  fail_each(Point::allocate, VK_ERROR_OUT_OF_DEVICE_MEMORY, [&] { return resident(); });
}

}  // namespace
}  // namespace metalmom::testing
