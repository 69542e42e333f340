// Devices, memory, sessions, pieces and transfers, over a kernel that copies.
#include <cmath>
#include <deque>
#include <numeric>
#include <thread>

#include "base/counters.hpp"
#include "base/workers.hpp"
#include "gpu/run/pieces.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "gpu_held.hpp"
#include "gpu_support.hpp"

namespace metalmom::testing {
namespace {

class GpuEngine : public DefaultDeviceTest {
 protected:
  // Copies batch x (4 words) values, with sentinels around the result.
  static void expect_copied(Index batch, Index words, bool careless = false) {
    const Index n = 4 * words, size = batch * n;
    std::vector<float> y(static_cast<std::size_t>(size)), copy(y.size() + 2, -7.0f);
    std::iota(y.begin(), y.end(), 0.5f);
    const CopyOp::Plan plan{batch, words, careless};
    const CopyOp::In<float> in{{y.data(), batch, 1, n}};
    const CopyOp::Out<float> out{{copy.data() + 1, batch, 1, n}};
    gpu::run_streamed(device(), gpu::KernelTask<CopyOp>(plan, in, out));
    EXPECT_EQ(copy.front(), -7.0f);
    EXPECT_EQ(copy.back(), -7.0f);
    EXPECT_TRUE(std::equal(y.begin(), y.end(), copy.begin() + 1));
  }
};

TEST_F(GpuEngine, DevicesAreDescribed) {
  for (const gpu::DeviceInfo& info : gpu::devices()) {
    EXPECT_FALSE(info.name.empty());
    EXPECT_GT(info.memory, 0u);
    EXPECT_GE(info.limits.shared_memory, 16384u);
    // GpuWithoutTimeline of ctest does without.
    if (const char* text = std::getenv("METALMOM_VULKAN_TIMELINE"); text && *text == '0') {
      EXPECT_FALSE(info.timeline_semaphores);
    }
  }
  EXPECT_THROW(gpu::open_device(99), DeviceError);
}

TEST_F(GpuEngine, CopiesWhateverTheShape) {
  for (const Index batch : {1, 2, 7})
    for (const Index words : {1, 3, 64, 1000}) expect_copied(batch, words);
}

TEST_F(GpuEngine, ManyPiecesOfClipsAndOneLongClip) {
  expect_copied(64, 40'000);    // 41 MB in pieces of whole clips
  expect_copied(1, 2'500'000);  // 40 MB in pieces of one clip
}

TEST_F(GpuEngine, OneSubmitForASmallCall) {
  expect_copied(2, 100);
  const Counters before = counters();
  expect_copied(2, 100);
  EXPECT_EQ(counters().submits - before.submits, 1u);
  EXPECT_EQ(counters().uploaded_bytes - before.uploaded_bytes, 3200u);
  EXPECT_EQ(counters().downloaded_bytes - before.downloaded_bytes, 3200u);
}

// Where the host sees the device's memory no host memory is made beside it, and no call is
// submitted that only copies.
TEST_F(GpuEngine, UnifiedMemoryIsReadAndWrittenInPlace) {
  if (!device().physical.unified_memory)
    GTEST_SKIP() << "the host does not see the device's memory";
  const ThreadsScope threads(1);
  gpu::release_memory();
  const std::size_t blocks = device().memory.reserved_bytes();
  const auto allocations = device().memory.driver_allocations();
  expect_copied(2, 100);
  EXPECT_EQ(device().sessions->lease()->held_bytes(),
            2 * gpu::align_up(3200));  // its workspace alone
  std::vector<float> values(5'000'000), back(values.size());
  std::iota(values.begin(), values.end(), 0.0f);
  const std::size_t bytes = values.size() * sizeof(float);
  const Held held(device());  // no work is done before this goes
  const auto array = gpu::copy_to_device(device(), values.data(), bytes);
  gpu::copy_to_host(array, back.data());
  EXPECT_EQ(values, back);
  // A block of small ranges, one of the array.
  EXPECT_EQ(device().memory.driver_allocations() - allocations, 2u);
  EXPECT_GE(device().memory.reserved_bytes() - blocks, bytes);
}

TEST_F(GpuEngine, SteadyStateAllocatesNothing) {
  const ThreadsScope threads(1);  // a second worker may come late, and bring memory of its own
  for (int i = 0; i < 3; ++i) expect_copied(16, 40'000);
  const auto before = gpu::memory_use(device()).driver_allocations;
  for (int i = 0; i < 5; ++i) expect_copied(16, 40'000);
  EXPECT_EQ(gpu::memory_use(device()).driver_allocations, before);
}

TEST_F(GpuEngine, FitsIntoALimit) {
  gpu::set_memory_limit(device(), std::size_t{12} << 20);
  expect_copied(1, 2'500'000);
  expect_copied(64, 40'000);
  EXPECT_LE(gpu::memory_use(device()).reserved, std::size_t{12} << 20);
}

TEST_F(GpuEngine, PiecesCoverABatchOnce) {
  const CopyOp::Plan plan{5, 1000};
  const CopyOp::In<float> in{{nullptr, 5, 1, 4000}};
  const CopyOp::Out<float> out{{nullptr, 5, 1, 4000}};
  const gpu::KernelTask<CopyOp> task(plan, in, out);
  for (const std::size_t target :
       {std::size_t{1}, std::size_t{20'000}, std::size_t{70'000}, std::size_t{1} << 30}) {
    const gpu::Cut cut = gpu::cut_batch(task, {std::size_t{1} << 30, std::size_t{1} << 30, target});
    std::vector<int> covered(5000);
    for (const gpu::Piece& piece : cut.pieces)
      for (Index clip = 0; clip < piece.n_clips; ++clip)
        for (Index unit = 0; unit < piece.n_units; ++unit)
          ++covered[static_cast<std::size_t>((piece.clip + clip) * 1000 + piece.unit + unit)];
    EXPECT_EQ(covered, std::vector<int>(5000, 1)) << target;
  }
}

// Short works, one that is cut and two that are not finite, in whatever order.
TEST_F(GpuEngine, WorksAreRunTogetherAndFailAlone) {
  struct Copy {
    explicit Copy(Index words)
        : y(static_cast<std::size_t>(4 * words)), copy(y.size()), plan{1, words} {
      std::iota(y.begin(), y.end(), 0.5f);
    }
    std::vector<float> y, copy;
    const CopyOp::Plan plan;
    const CopyOp::In<float> in{{y.data(), 1, 1, std::ssize(y)}};
    const CopyOp::Out<float> out{{copy.data(), 1, 1, std::ssize(copy)}};
    const gpu::KernelTask<CopyOp> task{plan, in, out};
  };
  std::deque<Copy> copies;
  for (const Index words : {1000, 1'000'000, 2000, 900'000, 30'000, 500})
    copies.emplace_back(words);
  for (const std::size_t i : {2, 3}) copies[i].y.back() = NAN;
  std::vector<gpu::Work> works;
  for (const Copy& each : copies) works.push_back({&each.task, each.y});
  gpu::run(device(), works);
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (i == 2 || i == 3) {
      EXPECT_THROW(std::rethrow_exception(works[i].error), ParameterError) << i;
    } else {
      EXPECT_FALSE(works[i].error) << i;
      EXPECT_EQ(copies[i].y, copies[i].copy) << i;
    }
  }
}

TEST_F(GpuEngine, ThreadsLeaseTheirOwnSessions) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int k = 0; k < 5; ++k) expect_copied(1 + i, 500 + k);
    });
  for (std::thread& each : threads) each.join();
}

TEST_F(GpuEngine, OutOfMemoryMakesSmallerPieces) {
  gpu::fail_allocations(device(), 2);
  expect_copied(64, 40'000);
}

TEST_F(GpuEngine, ArraysGiveTheirMemoryBack) {
  const auto before = gpu::memory_use(device()).live;
  std::vector<float> values(3'000'001), back(values.size());
  std::iota(values.begin(), values.end(), 0.0f);
  {
    const auto array = gpu::copy_to_device(device(), values.data(), values.size() * sizeof(float));
    EXPECT_GE(gpu::memory_use(device()).live, before + values.size() * sizeof(float));
    gpu::copy_to_host(array, back.data());
  }
  EXPECT_EQ(values, back);
  EXPECT_EQ(gpu::memory_use(device()).live, before);
}

TEST_F(GpuEngine, ResidentArraysChain) {
  constexpr Index batch = 3, n = 4000;
  std::vector<float> values(static_cast<std::size_t>(batch * n)), back(values.size());
  std::iota(values.begin(), values.end(), 0.0f);
  auto array = gpu::copy_to_device(device(), values.data(), values.size() * sizeof(float));
  for (int i = 0; i < 40; ++i) array = copied(array, batch);
  gpu::copy_to_host(array, back.data());
  EXPECT_EQ(values, back);
}

TEST_F(GpuEngine, ValidationLayerSeesAMissingBarrier) {
  if (!gpu::validation_wanted()) GTEST_SKIP() << "METALMOM_VULKAN_VALIDATION is not set";
  if (!gpu::validation_active() && !std::getenv("METALMOM_REQUIRE_GPU"))
    GTEST_SKIP() << "the Khronos validation layer is not installed";
  expect_copied(3, 500);
  EXPECT_EQ(gpu::take_validation_messages(), std::vector<std::string>{});
  expect_copied(3, 500, true);
  EXPECT_FALSE(gpu::take_validation_messages().empty());
}

}  // namespace
}  // namespace metalmom::testing
