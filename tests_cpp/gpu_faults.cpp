// Whichever call of the driver fails, and however, a call of the engine throws or answers right,
// and leaves nothing behind: no memory in use, and no wrong value for the next call. The functions
// are those that the tables of vulkan.hpp load and that answer with a VkResult.
#include <cstdio>
#include <new>
#include <numeric>
#include <set>

#include "gpu/run/array.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/faults.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_support.hpp"
#include "trace/recording.hpp"

namespace metalmom::testing {
namespace {

// Runs a part of the engine; false where it says that it failed.
template <class Run>
bool succeeds(Run&& run) {
  try {
    run();
    return true;
  } catch (const DeviceError&) {
  } catch (const std::bad_alloc&) {
  }
  return false;
}

class GpuFaults : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::iota(values_.begin(), values_.end(), 0.0f);
    physical_ = gpu::describe(instance_, instance_.physical_devices().at(0), 0);
  }
  void TearDown() override {
    gpu::withdraw_faults();
    gpu::count_calls(nullptr);
    GpuTest::TearDown();
  }

  std::vector<float> streamed(gpu::Device& device) const {
    std::vector<float> copy(values_.size());
    const CopyOp::In<float> in{{values_.data(), batch, 1, 4 * words}};
    const CopyOp::Out<float> out{{copy.data(), batch, 1, 4 * words}};
    gpu::run_streamed(device, gpu::KernelTask<CopyOp>({batch, words}, in, out));
    return copy;
  }
  std::vector<float> resident(gpu::Device& device) const {
    const CopyOp::Plan plan{batch, words};
    const CopyOp::In<float> in{{nullptr, batch, 1, 4 * words}};
    const CopyOp::Out<float> out{{nullptr, batch, 1, 4 * words}};
    const gpu::KernelTask<CopyOp> task(plan, in, out);
    const std::size_t bytes = values_.size() * sizeof(float);
    gpu::DeviceData array = gpu::copy_to_device(device, values_.data(), bytes);
    for (int i = 0; i < 2; ++i) {
      const gpu::DeviceData copy = gpu::make_array(device, bytes);
      gpu::run_resident(device, task, {&array, 1}, {&copy, 1});
      array = copy;
    }
    std::vector<float> back(values_.size());
    gpu::copy_to_host(array, back.data());
    return back;
  }
  void work(gpu::Device& device) const {
    const trace::Recording recording(true);  // for which kernels are timed
    EXPECT_TRUE(streamed(device) == values_);
    EXPECT_TRUE(resident(device) == values_);
    device.pipelines.save();
  }

  // Opens a device and works with it, with a fault and after it.
  void use(const gpu::PhysicalDevice& physical) {
    gpu::Device device(instance_, physical);
    gpu::set_memory_limit(device, std::size_t{3} << 20);  // so that a call is cut into pieces
    succeeds([&] { work(device); });
    succeeds([&] { device.sessions->drain(); });
    device.trim();
    EXPECT_EQ(device.memory.live_bytes(), 0u);
    gpu::count_calls(nullptr);
    is_due_ = gpu::withdraw_faults();
    EXPECT_EQ(succeeds([&] { work(device); }), device.lost_reason().empty());
  }
  void open() const {
    const gpu::Instance instance;
    if (instance.physical_devices().empty()) {
      EXPECT_NE(instance.problem(), "");
      return;
    }
    const gpu::PhysicalDevice physical = gpu::describe(instance, instance.physical_devices()[0], 0);
    gpu::describe_hardware(instance, physical);
    if (physical.info.unusable.empty()) gpu::Device(instance, physical);
  }

  // Lets each call that `run` makes fail, each in all ways.
  template <class Run>
  void fail_each(Run&& run) {
    gpu::CallCounts calls;
    gpu::count_calls(&calls);
    run();
    gpu::count_calls(nullptr);
    for (const auto& [function, count] : calls) {
      (count ? called_ : uncalled_).insert(function);
      for (const VkResult result : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                    VK_ERROR_DEVICE_LOST, VK_ERROR_INITIALIZATION_FAILED})
        for (int call = 0; call < count; ++call) {
          SCOPED_TRACE(std::string(function) + " " + std::to_string(result) + ", call " +
                       std::to_string(call));
          is_due_ = false;
          gpu::inject_fault(function, {.result = result, .skip = call});
          succeeds(run);
          is_due_ |= gpu::withdraw_faults();
          points_ += !is_due_;  // work that is over when its end is looked for needs no wait
        }
    }
  }

  static constexpr Index batch = 8, words = 10'000;
  std::vector<float> values_ = std::vector<float>(static_cast<std::size_t>(batch * 4 * words));
  gpu::Instance instance_;
  gpu::PhysicalDevice physical_;
  std::set<std::string_view> called_, uncalled_;
  bool is_due_ = false;  // the fault of this try, still
  int points_ = 0;
};

TEST_F(GpuFaults, EveryCallOfTheDriverMayFail) {
  fail_each([&] { open(); });
  fail_each([&] { use(physical_); });
  gpu::PhysicalDevice staged = physical_;
  staged.unified_memory.reset();
  fail_each([&] { use(staged); });
  staged.info.timeline_semaphores = staged.exports_timelines = staged.exports_memory = false;
  fail_each([&] { use(staged); });
  std::printf("%d calls of %zu functions failed\n", points_, called_.size());
  for (const std::string_view each : called_) uncalled_.erase(each);
  // Of sharing with CUDA (gpu_sharing_faults.cpp), and of the validation layer.
  for (const std::string_view each :
       {"vkGetMemoryFdKHR", "vkGetSemaphoreFdKHR", "vkCreateDebugUtilsMessengerEXT"})
    uncalled_.erase(each);
  EXPECT_EQ(uncalled_, std::set<std::string_view>());
}

// A session is used again after an error, so it must not keep a pool of commands without a buffer.
TEST_F(GpuFaults, ASessionWithoutACommandBufferMakesOne) {
  gpu::Device device(instance_, physical_);
  gpu::inject_fault("vkAllocateCommandBuffers", {.result = VK_ERROR_OUT_OF_HOST_MEMORY});
  EXPECT_FALSE(succeeds([&] { resident(device); }));
  EXPECT_TRUE(resident(device) == values_);
}

}  // namespace
}  // namespace metalmom::testing
