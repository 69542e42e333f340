// Device arrays in CUDA's hands and back: what comes after what.
#include <atomic>
#include <random>

#include "gpu_sharing_support.hpp"

namespace metalmom::testing {
namespace {

TEST_F(GpuSharing, AStreamSeesWhatKernelsWereToldBefore) {
  const auto stream = fake_cuda::make_stream();
  gpu::DeviceData array = ones;
  for (int i = 0; i < 20; ++i) array = copied(array);
  const gpu::ExportedArray lent(array, number(stream));
  EXPECT_EQ(lent.device().ordinal, fake_cuda::ordinal);
  bool seen = false;
  fake_cuda::enqueue(stream, [&] { seen = all_are(lent.address(), 1); });
  fake_cuda::synchronize(stream);
  EXPECT_TRUE(seen);
}

TEST_F(GpuSharing, MemoryIsTakenAgainBehindTheStreamThatHadIt) {
  const auto stream = fake_cuda::make_stream();
  const gpu::DeviceData twos = filled(2);
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
  const gpu::DeviceData next = copied(twos);
  EXPECT_EQ(next.memory->buffer, where.buffer);
  EXPECT_EQ(next.memory->offset, where.offset);
  gate.open();
  EXPECT_TRUE(all_are(next, 2));
  EXPECT_TRUE(intact);
}

// A signal costs the device a change of sides.
TEST_F(GpuSharing, AnIdleStreamSignalsNothing) {
  const auto stream = fake_cuda::make_stream();
  const gpu::DeviceData array = copied(ones);
  { const gpu::ExportedArray lent(array, number(stream)); }
  EXPECT_EQ(fake_cuda::calls("signal_semaphores"), 0);
  { const gpu::ExportedArray lent(array, std::nullopt); }  // of another stream, which nobody knows
  EXPECT_EQ(fake_cuda::calls("signal_semaphores"), 1);
  Gate gate;
  {
    const gpu::ExportedArray lent(array, number(stream));
    fake_cuda::enqueue(stream, gate.waiting());
  }
  EXPECT_EQ(fake_cuda::calls("signal_semaphores"), 2);
  gate.open();
}

TEST_F(GpuSharing, AnArrayThatIsStillHereIsNotTaken) {
  const auto stream = fake_cuda::make_stream();
  const gpu::DeviceData array = copied(ones);
  { const gpu::ExportedArray lent(array, number(stream)); }
  { const gpu::ExportedArray lent(array, std::nullopt); }
  const gpu::DeviceData other = copied(filled(3));
  EXPECT_TRUE(all_are(array, 1));
  EXPECT_TRUE(all_are(other, 3));
}

TEST_F(GpuSharing, ABlockIsImportedOnce) {
  for (int i = 0; i < 50; ++i) gpu::ExportedArray(copied(ones), 1);
  EXPECT_LE(fake_cuda::calls("import_memory"), 2);
}

TEST_F(GpuSharing, CopiesComeInTheirStreamsOrder) {
  const auto stream = fake_cuda::make_stream();
  std::vector<float> theirs(count, 4);
  Gate gate;
  fake_cuda::enqueue(stream, gate.waiting());
  fake_cuda::enqueue(stream, [&] { std::ranges::fill(theirs, 5.0f); });
  gpu::DeviceData array = gpu::copy_from_cuda(*device_, theirs.data(), bytes, number(stream));
  fake_cuda::enqueue(stream, [&] { std::ranges::fill(theirs, 6.0f); });
  const gpu::DeviceData made_of_it = copied(array);
  gate.open();
  EXPECT_TRUE(all_are(made_of_it, 5));
  fake_cuda::synchronize(stream);
  // Without a stream it is over when the call returns.
  array = gpu::copy_from_cuda(*device_, theirs.data(), bytes, std::nullopt);
  std::ranges::fill(theirs, 7.0f);
  EXPECT_TRUE(all_are(array, 6));
}

TEST_F(GpuSharing, ACopyThatNobodyWantsHarmsNobody) {
  const auto stream = fake_cuda::make_stream();
  const std::vector<float> theirs(count, 4);
  Gate gate;
  fake_cuda::enqueue(stream, gate.waiting());
  { const auto dropped = gpu::copy_from_cuda(*device_, theirs.data(), bytes, number(stream)); }
  const gpu::DeviceData next = copied(ones);
  gate.open();
  EXPECT_TRUE(all_are(next, 1));
}

// Arrays, streams and those who hold them come and go as they like.
TEST_F(GpuSharingUnwatched, LivesNeverShowAnotherValue) {
  struct Taken {
    gpu::DeviceData array;  // maybe dropped
    std::unique_ptr<gpu::ExportedArray> lent;
    gpu::cuda::Stream stream;
    float value;
  };
  std::mt19937 random(0);
  std::vector<gpu::cuda::Stream> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(fake_cuda::make_stream());
  std::vector<gpu::DeviceData> sources;
  for (int i = 0; i < 4; ++i) sources.push_back(filled(static_cast<float>(i)));
  device_->sessions->drain();
  const std::size_t live = device_->memory.live_bytes();
  std::atomic<int> wrong{0};
  std::vector<Taken> taken;
  for (int i = 0; i < 600; ++i) {
    const auto stream = streams[random() % streams.size()];
    const std::size_t which = random() % sources.size();
    gpu::DeviceData array = copied(sources[which]);
    auto lent = std::make_unique<gpu::ExportedArray>(array, number(stream));
    if (random() % 2) array = {};
    taken.push_back({array, std::move(lent), stream, static_cast<float>(which)});
    while (taken.size() > random() % 8) {
      std::swap(taken[random() % taken.size()], taken.back());
      const Taken& last = taken.back();
      fake_cuda::enqueue(last.stream, [&wrong, at = last.lent->address(), value = last.value] {
        wrong += !all_are(at, value);
      });
      if (random() % 2) taken.back().array = {};
      taken.pop_back();
    }
  }
  taken.clear();
  for (const auto stream : streams) fake_cuda::synchronize(stream);
  EXPECT_EQ(wrong, 0);
  device_->sessions->drain();
  EXPECT_EQ(device_->memory.live_bytes(), live);
  EXPECT_LE(device_->memory.reserved_bytes(), std::size_t{256} << 20);
}

}  // namespace
}  // namespace metalmom::testing
