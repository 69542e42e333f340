// Device memory that is kept, over Vulkan; tests_cpp/gpu_block_cache.cpp has the cache of blocks
// alone.
#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <thread>

#include "base/memory_limits.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_support.hpp"
#include "realtime_guard.hpp"

namespace metalmom::testing {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

class GpuMemory : public DefaultDeviceTest {
 protected:
  static std::uint64_t driver_allocations() { return gpu::memory_use(device()).driver_allocations; }
};

TEST_F(GpuMemory, KeepsWhatWasUsedLast) {
  gpu::make_array(device(), 240 * mebibyte);
  gpu::make_array(device(), 50 * mebibyte);
  const auto before = driver_allocations();
  for (int i = 0; i < 3; ++i) gpu::make_array(device(), 50 * mebibyte);
  EXPECT_EQ(driver_allocations(), before);
}

// Constants of shaders depend on sizes, of which there is no end.
TEST_F(GpuMemory, KeepsOnlySoManyPipelines) {
  gpu::Pipelines& pipelines = device().pipelines;
  const auto get = [&](std::uint32_t constant) {
    return pipelines.get({"copy", 0, {&constant, 1}}, 2, sizeof(gpu::CopyPush));
  };
  const auto first = get(0);
  std::shared_ptr<const gpu::Pipeline> last;
  for (std::uint32_t i = 1; i <= gpu::Pipelines::most_pipelines; ++i) last = get(i);
  EXPECT_EQ(pipelines.count(), gpu::Pipelines::most_pipelines);
  EXPECT_EQ(get(gpu::Pipelines::most_pipelines), last);
  EXPECT_NE(get(0), first);
  pipelines.save(0);  // more bytes than that: the driver's cache is begun anew
  EXPECT_TRUE(get(1'000'000)->pipeline);
}

TEST_F(GpuMemory, AQueueOfCallsNeedsTheMemoryOfOne) {
  if (!gpu::info(device()).timeline_semaphores) GTEST_SKIP() << "memory waits for its work";
  const std::vector<float> values(2'000'000, 1.0f);
  const auto source = gpu::copy_to_device(device(), values.data(), values.size() * sizeof(float));
  copied(source);
  gpu::set_memory_limit(device(), gpu::memory_use(device()).reserved);
  const auto before = driver_allocations();
  for (int i = 0; i < 50; ++i) copied(source);
  EXPECT_EQ(driver_allocations(), before);
}

// Each copy's memory becomes the next one's, and that of an upload, while earlier work may run.
TEST_F(GpuMemory, MemoryInUseIsNotOverwritten) {
  std::vector<float> values(1'000'000), back(values.size());
  std::vector<gpu::DeviceData> kept;
  std::vector<float> marks;
  for (int i = 0; i < 30; ++i) {
    const auto mark = static_cast<float>(i);
    std::fill(values.begin(), values.end(), mark);
    const std::size_t bytes = values.size() * sizeof(float);
    gpu::DeviceData copy = copied(gpu::copy_to_device(device(), values.data(), bytes));
    for (int k = 0; k < 3; ++k) copy = copied(copy);
    if (i % 3) continue;
    kept.push_back(copy);
    marks.push_back(mark);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    gpu::copy_to_host(kept[i], back.data());
    EXPECT_EQ(back, std::vector<float>(back.size(), marks[i]));
  }
}

// The first allocations of three calls: the calls give what they should, or say what is missing.
TEST_F(GpuMemory, EveryAllocationMayFail) {
  const std::vector<float> values(200'000, 2.0f);
  const std::size_t bytes = values.size() * sizeof(float);
  for (int failing = 1; failing <= 8; ++failing) {
    gpu::fail_allocations(device(), failing);
    try {
      std::vector<float> back(values.size());
      gpu::copy_to_host(copied(gpu::copy_to_device(device(), values.data(), bytes)), back.data());
      EXPECT_EQ(back, values);
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos);
    }
  }
  gpu::fail_allocations(device(), 0);
  const auto before = gpu::memory_use(device()).live;
  { const auto array = gpu::copy_to_device(device(), values.data(), bytes); }
  EXPECT_EQ(gpu::memory_use(device()).live, before);
}

TEST_F(GpuMemory, AScopeBoundsWhatItsThreadReserves) {
  gpu::set_memory_limit(device(), SIZE_MAX);
  const std::size_t reserved = gpu::memory_use(device()).reserved;
  {
    const MemoryLimitsScope scope({.host = {}, .device = reserved + 20 * mebibyte});
    EXPECT_THROW(gpu::make_array(device(), 30 * mebibyte), DeviceError);
    gpu::make_array(device(), 18 * mebibyte);
  }
  gpu::make_array(device(), 30 * mebibyte);
}

TEST_F(GpuMemory, AgesAway) {
  gpu::make_array(device(), 40 * mebibyte);
  EXPECT_GE(gpu::memory_use(device()).reserved, 40 * mebibyte);
  gpu::age_kept_memory();
  gpu::age_kept_memory();
  EXPECT_LT(gpu::memory_use(device()).reserved, 40 * mebibyte);
}

// As a call leaves it that was interrupted, or results that nobody wanted: work that nobody waits
// for.
TEST_F(GpuMemory, WhatIsLeftOnItsWayGoesBack) {
  const auto leave = [] {
    gpu::SessionPool::Lease session = device().sessions->lease();
    session->begin({.workspace = 20 * mebibyte});
    session->submit();
    device().sessions->park(std::move(session));
  };
  gpu::release_memory();
  const std::size_t before = device().memory.reserved_bytes();
  leave();
  EXPECT_GE(device().memory.reserved_bytes(), before + 20 * mebibyte);
  gpu::release_memory();
  EXPECT_EQ(device().memory.reserved_bytes(), before);

  leave();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (device().memory.reserved_bytes() > before && std::chrono::steady_clock::now() < end) {
    gpu::age_kept_memory();
    std::this_thread::yield();
  }
  EXPECT_EQ(device().memory.reserved_bytes(), before);
}

#ifdef METALMOM_REALTIME_GUARD

TEST_F(GpuMemory, ArraysThatCannotBeHadCostNothing) {
  gpu::make_array(device(), mebibyte);
  const std::size_t before = device().memory.live_bytes();
  bool has_failed = true;
  for (long failing = 1; has_failed; ++failing) {
    {
      const test::FailingAllocation failure(failing);
      try {
        device().allocate(mebibyte);
      } catch (const std::bad_alloc&) {
      }
      has_failed = failure.has_failed();
    }
    EXPECT_EQ(device().memory.live_bytes(), before) << failing;
    ASSERT_LT(failing, 100);
  }
}

// Whatever ends a lease may do so because memory is short.
TEST_F(GpuMemory, SessionsComeBackWithoutMemory) {
  gpu::SessionPool& sessions = *device().sessions;
  auto unused = sessions.lease(), dropped = sessions.lease(), parked = sessions.lease();
  for (const auto* each : {&dropped, &parked}) {
    (*each)->begin({.workspace = mebibyte});
    (*each)->submit();
  }
  // An allocation that fails ends the process but for that of the thread which watches idle memory.
  const auto without_memory = [](const auto& come_back) {
    gpu::watch_idle_devices();
    const test::FailingAllocation first(1);
    come_back();
  };
  without_memory([&] { unused.reset(); });
  without_memory([&] { dropped.reset(); });
  without_memory([&] { sessions.park(std::move(parked)); });
}

#endif

}  // namespace
}  // namespace metalmom::testing
