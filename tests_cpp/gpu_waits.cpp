// Whoever waits for a device lets others go on: they take and drop memory, call, and end. And what
// is waited for is one's own work.
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <vector>

#include "base/memory_limits.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_held.hpp"
#include "gpu_support.hpp"
#include "realtime_guard.hpp"

namespace metalmom::testing {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Far beyond what anything here takes; a test that fails waits so long.
constexpr std::chrono::seconds never{20};

template <class F>
auto elsewhere(F&& call) {
  return std::async(std::launch::async, std::forward<F>(call));
}

template <class T>
bool comes(const std::future<T>& result) {
  return result.wait_for(never) == std::future_status::ready;
}

class GpuWaits : public DefaultDeviceTest {
 protected:
  void SetUp() override {
    DefaultDeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!gpu::info(device()).timeline_semaphores) GTEST_SKIP() << "no timeline semaphores";
    gpu::release_memory();
    ones_ = filled(1);
    copied(ones_);  // its pipeline and tables are there
    gpu::finish_work(device());
  }
  void TearDown() override {
    ones_ = {};
    DefaultDeviceTest::TearDown();
  }

  static gpu::DeviceData filled(float value, std::size_t count = 10'000'000) {
    const std::vector<float> values(count, value);
    return gpu::copy_to_device(device(), values.data(), count * sizeof(float));
  }
  static std::vector<float> values_of(const gpu::DeviceData& array) {
    std::vector<float> values(array.memory->bytes / sizeof(float));
    gpu::copy_to_host(array, values.data());
    return values;
  }

  gpu::DeviceData ones_;
};

TEST_F(GpuWaits, ArraysComeAndGoWhileACallWaitsForMemory) {
  gpu::DeviceData small = filled(2, 1000);
  std::optional<gpu::Stall> stall(std::in_place);
  copied(ones_);  // 40 MB that nobody has, and that work still uses
  const std::size_t limit = device().memory.reserved_bytes() + 40 * mebibyte;
  const auto large = elsewhere([&] {
    const MemoryLimitsScope scope({.host = {}, .device = limit});
    return gpu::make_array(device(), 60 * mebibyte);
  });
  EXPECT_TRUE(stall->await_waiters(1, never));
  const auto others = elsewhere([&] { small = copied(small); });
  EXPECT_TRUE(comes(others));
  stall.reset();
  EXPECT_TRUE(comes(large));
}

// A call waits for queued work only if it would queue more.
TEST_F(GpuWaits, SessionsComeAndGoWhileACallWaitsForRoom) {
  const gpu::DeviceData small = filled(2, 1000);
  gpu::SessionPool& sessions = *device().sessions;
  std::optional<gpu::SessionPool::Lease> mine(sessions.lease());
  std::optional<gpu::Stall> stall(std::in_place);
  for (int i = 0; i < 64; ++i) copied(small);
  const auto waiting = elsewhere([&] { copied(small); });
  EXPECT_TRUE(stall->await_waiters(1, never));
  const auto others = elsewhere([&] {
    mine.reset();
    sessions.trim();
    sessions.age();
    mine = sessions.lease();
  });
  EXPECT_TRUE(comes(others));
  stall.reset();
  EXPECT_TRUE(comes(waiting));
}

// Two that wait for the same work, one of them for all; neither has it to itself.
TEST_F(GpuWaits, ManyWaitForOneSession) {
  const gpu::DeviceData small = filled(2, 1000);
  for (int round = 0; round < 8; ++round) {
    std::vector<std::future<void>> waiting;
    {
      const Held held(device());
      for (int i = 0; i < 64; ++i) copied(small);
      for (int i = 0; i < 3; ++i) {
        waiting.push_back(elsewhere([] { device().sessions->drain(); }));
        waiting.push_back(elsewhere([&] { copied(small); }));
      }
    }
    for (const auto& each : waiting) ASSERT_TRUE(comes(each));
  }
}

// What is queued while a thread waits for all before it is none of its business.
TEST_F(GpuWaits, WorkThatComesLaterIsNotWaitedFor) {
  const gpu::DeviceData small = filled(2, 1000), done = copied(small);
  EXPECT_EQ(values_of(done), std::vector<float>(1000, 2));
  const gpu::DeviceData other = copied(small);
  std::optional<gpu::Stall> stall(std::in_place);
  const auto array = elsewhere([&] { return values_of(done); });
  EXPECT_TRUE(stall->await_waiters(1, never));
  const auto all = elsewhere([] { gpu::finish_work(device()); });
  EXPECT_TRUE(stall->await_waiters(2, never));
  std::optional<Held> held(std::in_place, device());
  const gpu::DeviceData later = copied(small);
  stall.reset();
  EXPECT_TRUE(comes(array));
  EXPECT_TRUE(comes(all));
  held.reset();
}

// While a driver builds one pipeline, others are built and found; who needs the same one waits for
// it.
TEST_F(GpuWaits, PipelinesAreBuiltSideBySide) {
  const auto built = [](std::size_t n_bindings) {
    return elsewhere(
        [=] { return device().pipelines.get({"copy"}, n_bindings, sizeof(gpu::CopyPush)); });
  };
  const std::shared_ptr<const gpu::Pipeline> known = built(2).get();
  std::optional<gpu::Stall> stall(std::in_place);
  auto first = built(3), again = built(3), second = built(4), found = built(2);
  EXPECT_TRUE(stall->await_waiters(2, never));
  EXPECT_TRUE(comes(found));
  EXPECT_EQ(found.get(), known);
  stall.reset();
  const std::shared_ptr<const gpu::Pipeline> made = first.get();
  EXPECT_EQ(again.get(), made);
  EXPECT_NE(second.get(), made);
}

// Where there are two devices (GpuOpened of ctest): the driver opens one, and the other is there.
TEST_F(GpuWaits, ADeviceWorksWhileAnotherIsOpened) {
  const auto all = gpu::devices();
  if (all.size() < 2) GTEST_SKIP() << "there is one device";
  std::optional<gpu::Stall> stall(std::in_place);
  const auto other = elsewhere([&] { gpu::open_device(all.back().index); });
  EXPECT_TRUE(stall->await_waiters(1, never));
  const auto work = elsewhere([&] {
    copied(ones_);
    gpu::devices();
    gpu::keep_to_memory_limits();
  });
  EXPECT_TRUE(comes(work));
  stall.reset();
  EXPECT_TRUE(comes(other));
}

// Where the host reads memory in place, or transfers have queues of their own, work that other
// arrays are part of is not waited for.
TEST_F(GpuWaits, AnArrayThatIsDoneComesWhileOthersAreNot) {
  if (!device().overlaps && !device().physical.unified_memory)
    GTEST_SKIP() << "one queue does all in its order";
  const gpu::DeviceData done = copied(ones_);
  gpu::finish_work(device());
  std::optional<Held> held(std::in_place, device());
  const gpu::DeviceData later = copied(ones_);
  const auto array = elsewhere([&] { return values_of(done); });
  EXPECT_TRUE(comes(array));
  held.reset();
  EXPECT_EQ(values_of(later), values_of(done));
}

// A look that finds nothing, while somebody begins to keep something that it did not see.
TEST(IdleWatch, ALookComesAfterEachCall) {
  std::promise<void> second;
  int looks = 0;
  gpu::IdleWatch* itself = nullptr;
  gpu::IdleWatch watch(std::chrono::milliseconds(1), [&] {
    if (++looks == 1) itself->wake();
    if (looks == 2) second.set_value();
    return false;
  });
  itself = &watch;
  watch.wake();
  EXPECT_TRUE(comes(second.get_future()));
}

TEST(IdleWatch, NoCallIsLost) {
  std::mutex mutex;
  int kept = 0;
  std::atomic<int> seen{0};
  gpu::IdleWatch watch(std::chrono::milliseconds(0), [&] {
    const std::lock_guard lock(mutex);
    seen = kept;
    seen.notify_all();
    return false;
  });
  const auto keep = [&] {
    for (int i = 0; i < 10; ++i) {
      {
        const std::lock_guard lock(mutex);
        ++kept;
      }
      watch.wake();
    }
  };
  for (int round = 1; round <= 500; ++round) {
    const auto first = elsewhere(keep), second = elsewhere(keep);
    const auto looked = elsewhere([&, last = 20 * round] {
      for (int now = seen; now < last; now = seen) seen.wait(now);
    });
    ASSERT_TRUE(comes(looked)) << round;
  }
}

#ifdef METALMOM_REALTIME_GUARD

TEST(IdleWatch, ACallWithoutMemoryIsMadeUpForByTheNext) {
  std::promise<void> looked;
  gpu::IdleWatch watch(std::chrono::milliseconds(0), [&] {
    looked.set_value();
    return false;
  });
  {
    const test::FailingAllocation first(1);
    watch.wake();
    EXPECT_TRUE(first.has_failed());
  }
  watch.wake();
  EXPECT_TRUE(comes(looked.get_future()));
}

#endif

}  // namespace
}  // namespace metalmom::testing
