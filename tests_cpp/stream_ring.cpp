#include "stream/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "realtime_guard.hpp"

namespace metalmom {
namespace {

using stream::Placed, stream::Ring;

std::vector<double> counted(Index n, Index first = 0) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), static_cast<double>(first));
  return values;
}

TEST(StreamRing, GivesWhatWasWrittenInOrder) {
  Ring<double> ring(10, 1);
  const auto in = counted(100);
  std::vector<double> out(100);
  Index written = 0, read = 0;
  for (const Index n : {3, 7, 0, 5, 10, 1, 9}) {
    EXPECT_EQ(ring.write({in.data() + written, 0, 1}, n), n);
    written += n;
    EXPECT_EQ(ring.waiting(), n);
    EXPECT_EQ(ring.read({out.data() + read, 0, 1}, 100 - read), n);
    read += n;
    EXPECT_EQ(ring.waiting(), 0);
  }
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + read, in.begin()));
  EXPECT_EQ(ring.lost(), 0);
}

TEST(StreamRing, CountsWhatHasNoRoom) {
  Ring<float> ring(10, 1);
  const std::vector<float> in(25, 1.0f);
  EXPECT_EQ(ring.write({in.data(), 0, 1}, 7), 7);
  EXPECT_EQ(ring.write({in.data(), 0, 1}, 7), 3);
  EXPECT_EQ(ring.lost(), 4);
  EXPECT_EQ(ring.write({in.data(), 0, 1}, 25), 0);
  EXPECT_EQ(ring.lost(), 29);
  std::vector<float> out(25);
  EXPECT_EQ(ring.read({out.data(), 0, 1}, 25), 10);
  EXPECT_EQ(ring.write({in.data(), 0, 1}, 25), 10);
}

TEST(StreamRing, ChannelsMayLieInAnyOrder) {
  Ring<double> ring(7, 2);
  const auto in = counted(40);  // 20 frames of two, side by side
  std::vector<double> out(40);  // channel after channel
  for (Index done = 0; done < 20; done += 5) {
    EXPECT_EQ(ring.write({in.data() + 2 * done, 1, 2}, 5), 5);
    EXPECT_EQ(ring.read({out.data() + done, 20, 1}, 5), 5);
  }
  for (Index i = 0; i < 20; ++i) {
    EXPECT_EQ(out[static_cast<std::size_t>(i)], 2 * i);
    EXPECT_EQ(out[static_cast<std::size_t>(20 + i)], 2 * i + 1);
  }
}

// Blocks of random lengths. What is lost leaves a gap, and nothing else is missing or comes twice.
TEST(StreamRing, TwoThreadsLoseNothingThatIsNotCounted) {
  constexpr Index n = 2'000'000;
  Ring<double> ring(1000, 2);
  std::atomic<bool> ended{false};
  std::thread writer([&] {
    std::mt19937 random(1);
    for (Index at = 0; at < n;) {
      const Index count = std::min<Index>(random() % 700, n - at);
      std::vector<double> block = counted(count, at);
      block.resize(static_cast<std::size_t>(2 * count));
      std::copy_n(block.begin(), count, block.begin() + count);
      ring.write({block.data(), count, 1}, count);
      at += count;
      if (random() % 8 == 0) std::this_thread::yield();
    }
    ended = true;
  });
  std::mt19937 random(2);
  std::vector<double> block(2 * 900);
  Index read = 0;
  double last = -1;
  for (;;) {
    const bool is_last = ended;
    const Index count = ring.read({block.data(), 900, 1}, static_cast<Index>(random() % 900));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      ASSERT_GT(block[i], last);
      ASSERT_EQ(block[i], block[900 + i]);
      last = block[i];
    }
    read += count;
    if (is_last && ring.waiting() == 0) break;
  }
  writer.join();
  EXPECT_EQ(read + ring.lost(), n);
}

#ifdef METALMOM_REALTIME_GUARD
TEST(StreamRing, AsksNothingOfTheSystem) {
  Ring<float> ring(100, 2);
  std::vector<float> block(60);
  const auto run = [&] {
    for (int i = 0; i < 20; ++i) {
      ring.write({block.data(), 30, 1}, 30);
      ring.read({block.data(), 30, 1}, 20);
    }
  };
  test::expect_real_time(run, run);
}
#endif

}  // namespace
}  // namespace metalmom
