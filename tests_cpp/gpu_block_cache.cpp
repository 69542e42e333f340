// The cache of blocks, over a driver that only counts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "counting_driver.hpp"
#include "realtime_guard.hpp"

namespace metalmom::testing {
namespace {

class BlockCacheTest : public ::testing::Test {
 protected:
  using Range = gpu::BlockCache::Range;
  Range* take(std::size_t bytes, std::size_t limit = unlimited) {
    return blocks.take(bytes, limit);
  }
  CountingDriver driver;
  gpu::BlockCache blocks{driver};
};

TEST_F(BlockCacheTest, RangesOfABlockDoNotOverlap) {
  std::mt19937 random(0);
  std::vector<Range*> ranges;
  for (int i = 0; i < 2000; ++i) {
    if (ranges.size() > 30) {
      std::swap(ranges[random() % ranges.size()], ranges.back());
      blocks.give(ranges.back(), 0);
      ranges.pop_back();
    }
    ranges.push_back(take(1 + random() % (20 * mebibyte)));
    const Range& fresh = *ranges.back();
    EXPECT_EQ(fresh.offset % gpu::slice_alignment, 0u);
    for (const Range* other : ranges)
      if (other != &fresh && other->block == fresh.block) {
        EXPECT_TRUE(other->offset + other->bytes <= fresh.offset ||
                    fresh.offset + fresh.bytes <= other->offset);
      }
  }
  for (Range* each : ranges) blocks.give(each, 0);
  EXPECT_EQ(blocks.use().live, 0u);
  blocks.shrink_to(0);
  EXPECT_EQ(blocks.use().reserved, 0u);
}

// What a loop of queued calls does: results are dropped long before the device is done with them.
TEST_F(BlockCacheTest, ALoopTakesWhatItDroppedWithoutWaiting) {
  driver.behind = 1000;
  for (int i = 0; i < 100; ++i) {
    Range* result = take(2700 * mebibyte);
    Range* scratch = take(170 * mebibyte);
    if (i > 0) {
      EXPECT_EQ(result->busy_until.own, driver.now);
    }
    ++driver.now;
    blocks.give(scratch, driver.now);
    blocks.give(result, driver.now);
  }
  EXPECT_EQ(driver.made, 2u);
  EXPECT_EQ(driver.waits, 0u);
}

TEST_F(BlockCacheTest, SmallArraysThatLiveDoNotHoldLargeBlocks) {
  std::vector<Range*> kept;
  for (int i = 0; i < 20; ++i) {
    blocks.give(take(2700 * mebibyte), 0);
    kept.push_back(take(100'000));
    kept.push_back(take(3 * mebibyte));
  }
  EXPECT_LE(blocks.use().reserved, (2700 + 256 + 2 * 64 + 8) * mebibyte);
}

// So many calls of changing sizes that chance would show; at most `live` arrays at a time, on a
// device that has little more than they take.
TEST_F(BlockCacheTest, ChangingSizesStayWithinOneAndAHalfOfTheLargestSum) {
  struct Sizes {
    const char* name;
    double live;
    std::function<double(int call, double chance)> of;
  };
  const Sizes all[] = {
      {"from 1 MB to 3 GB", 12, [](int, double x) { return 1e6 * std::pow(3000, x); }},
      {"a GB, give or take a tenth", 12, [](int, double x) { return 1e9 * (0.9 + 0.2 * x); }},
      {"1 to 65 MB", 40, [](int, double x) { return 1e6 + 64e6 * x; }},
      {"parts of 2.7 GB", 12, [](int, double x) { return 2.7e9 / (1 + std::floor(6 * x)); }},
      {"rising to 1 GB, again and again", 12, [](int i, double) { return 1e6 * (20 + i % 1000); }},
  };
  for (const Sizes& sizes : all) {
    CountingDriver counting;
    counting.space = 4000 * mebibyte;
    gpu::BlockCache cache(counting);
    std::mt19937 random(7);
    const auto chance = [&] { return static_cast<double>(random()) / 4294967296.0; };
    std::vector<Range*> live;
    std::size_t most_live = 0, most_reserved = 0, made_before = 0;
    for (int i = 0; i < 10'000; ++i) {
      while (static_cast<double>(live.size()) >= 1 + chance() * sizes.live) {
        std::swap(live[static_cast<std::size_t>(chance() * static_cast<double>(live.size()))],
                  live.back());
        cache.give(live.back(), counting.now);
        live.pop_back();
      }
      live.push_back(cache.take(static_cast<std::size_t>(sizes.of(i, chance())), unlimited));
      ++counting.now;
      most_live = std::max(most_live, cache.use().live);
      most_reserved = std::max(most_reserved, cache.use().reserved);
      if (i == 5000) made_before = counting.made;
    }
    EXPECT_LE(static_cast<double>(most_reserved), 1.5 * static_cast<double>(most_live))
        << sizes.name;
    EXPECT_LE(counting.made - made_before, 100u) << sizes.name;  // of 5,000 calls
  }
}

// Loops of a few calls, with results that live for some of them and scratch memory of any size.
TEST_F(BlockCacheTest, NoLoopGoesOnAskingTheDriver) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    CountingDriver counting;
    gpu::BlockCache cache(counting);
    std::mt19937 random(seed);
    const auto size = [&, base = 1e6 * std::exp2(random() % 10)] {
      return static_cast<std::size_t>(base * std::exp2(random() % 1000 * 0.006));
    };
    struct Call {
      std::size_t result, scratch;
      int life;
    };
    std::vector<Call> calls(2 + random() % 10);
    for (Call& call : calls) call = {size(), random() % 2 ? size() : 1, int(1 + random() % 3)};
    std::vector<std::pair<int, Range*>> live;
    std::size_t made_before = 0;
    for (int round = 0, now = 0; round < 60; ++round) {
      if (round == 30) made_before = counting.made;
      for (const Call& call : calls) {
        Range* const result = cache.take(call.result, unlimited);
        cache.give(cache.take(call.scratch, unlimited), 0);
        live.emplace_back(++now + call.life, result);
        std::erase_if(live, [&](const auto& each) {
          if (each.first <= now) cache.give(each.second, 0);
          return each.first <= now;
        });
      }
    }
    EXPECT_EQ(counting.made, made_before) << seed;
  }
}

TEST_F(BlockCacheTest, WhatNobodyUsesGoesBackInTime) {
  Range* used = take(100 * mebibyte);
  blocks.give(take(200 * mebibyte), 5);
  blocks.age();
  EXPECT_GT(blocks.use().reserved, 300 * mebibyte);
  blocks.age();
  EXPECT_GT(blocks.use().reserved, 300 * mebibyte);  // the device is not past tick 5
  driver.now = 5;
  blocks.age();
  EXPECT_LT(blocks.use().reserved, 120 * mebibyte);
  EXPECT_FALSE(blocks.keeps_empty());
  blocks.give(used, 0);
  EXPECT_TRUE(blocks.keeps_empty());
}

TEST_F(BlockCacheTest, ALimitHolds) {
  EXPECT_EQ(take(20 * mebibyte, 10 * mebibyte), nullptr);
  Range* small = take(100, mebibyte);  // not a whole shared block
  ASSERT_NE(small, nullptr);
  EXPECT_LE(blocks.use().reserved, mebibyte);
  blocks.give(small, 0);
  Range* first = take(30 * mebibyte, 40 * mebibyte);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(take(30 * mebibyte, 40 * mebibyte), nullptr);
  driver.now = 2;
  blocks.give(first, 3);
  EXPECT_NE(take(35 * mebibyte, 40 * mebibyte), nullptr);  // in place of the one before
  EXPECT_EQ(driver.waits, 1u);
  EXPECT_LE(blocks.use().reserved, 40 * mebibyte);
}

TEST_F(BlockCacheTest, GivesBackWhatItKeepsBeforeItFails) {
  blocks.give(take(500 * mebibyte), 0);
  driver.space = 100 * mebibyte;
  EXPECT_EQ(take(700 * mebibyte), nullptr);
  EXPECT_EQ(blocks.use().reserved, 0u);
  EXPECT_NE(take(99 * mebibyte), nullptr);  // 104 MiB with room for more would be too much
}

#ifdef METALMOM_REALTIME_GUARD

// Ranges that join nothing, the next one, the one before, and both.
TEST_F(BlockCacheTest, RangesComeBackWithoutMemory) {
  std::vector<Range*> ranges;
  for (int i = 0; i < 5; ++i) ranges.push_back(take(1000));
  {
    const test::NoMemory none;
    for (const std::size_t i : {1, 0, 4, 3, 2}) blocks.give(ranges[i], 0);
  }
  EXPECT_EQ(blocks.use().live, 0u);
  blocks.shrink_to(0);
  EXPECT_EQ(blocks.use().reserved, 0u);
}

TEST_F(BlockCacheTest, ARangeThatCannotBeHadChangesNothing) {
  bool has_failed = true;
  for (long failing = 1; has_failed; ++failing) {
    CountingDriver counting;
    gpu::BlockCache cache(counting);
    Range* range = nullptr;
    {
      const test::FailingAllocation failure(failing);
      try {
        range = cache.take(1000, unlimited);
      } catch (const std::bad_alloc&) {
      }
      has_failed = failure.has_failed();
    }
    EXPECT_EQ(range == nullptr, has_failed);
    if (!range) {
      EXPECT_EQ(cache.use().live, 0u);
      range = cache.take(1000, unlimited);
    }
    Range* const other = cache.take(1000, unlimited);
    EXPECT_NE(range->offset, other->offset);
    cache.give(range, 0);
    cache.give(other, 0);
    cache.shrink_to(0);
    EXPECT_EQ(cache.use().reserved, 0u);
    ASSERT_LT(failing, 100);
  }
}

#endif

// A user tries batches of several sizes, each in a loop whose results replace each other, or go at
// once: STFT of clips of so many seconds, and what the driver was asked for.
struct Batches {
  double seconds;
  bool keeps_last;
  CountingDriver driver;
  gpu::BlockCache blocks{driver};
  gpu::BlockCache::Range *audio = nullptr, *spectrum = nullptr;

  Batches(double the_seconds, bool keeps) : seconds(the_seconds), keeps_last(keeps) {
    driver.space = 140'000 * mebibyte;
    driver.behind = 1000;  // nobody waits in between
  }
  gpu::BlockCache::Range* replaced(gpu::BlockCache::Range* old, std::size_t bytes) {
    gpu::BlockCache::Range* const fresh = blocks.take(bytes, unlimited);
    if (old) blocks.give(old, driver.now);
    ++driver.now;
    return fresh;
  }
  // Blocks that the driver made for a loop.
  std::size_t queue(std::size_t clips) {
    const std::size_t before = driver.made;
    const auto samples = static_cast<std::size_t>(22050 * seconds);
    audio = replaced(audio, clips * samples * sizeof(float));
    for (int call = 0; call < 20; ++call) {
      spectrum = replaced(spectrum, clips * (1 + samples / 512) * 1025 * 2 * sizeof(float));
      if (keeps_last) continue;
      blocks.give(spectrum, driver.now);
      spectrum = nullptr;
    }
    return driver.made - before;
  }
};

// On a card of 140 GB: batches that grow in small steps need more than a quarter of a smaller one.
TEST_F(BlockCacheTest, ALargerBatchAfterSmallerOnesTakesOfTheDriverWhatItTakesAlone) {
  const std::vector<std::vector<std::size_t>> orders = {
      {16, 32, 64, 128}, {16, 32, 48, 64, 96, 128, 192}, {1, 4, 16, 64}, {160, 192, 224}};
  for (const auto& smaller : orders)
    for (const double seconds : {7.5, 30.0})
      for (const bool keeps_last : {true, false}) {
        Batches alone(seconds, keeps_last), after(seconds, keeps_last);
        for (const std::size_t clips : smaller) after.queue(clips);
        EXPECT_LE(after.queue(256), alone.queue(256));
        // From then on nothing, in whichever order.
        for (const int round : {1, 2})
          for (const std::size_t clips : smaller) {
            EXPECT_EQ(after.queue(clips), 0u) << round;
            EXPECT_EQ(after.queue(256), 0u) << round;
          }
        EXPECT_EQ(after.driver.given_back, 0u);
        EXPECT_EQ(after.driver.waits, 0u);
      }
}

// Four times what was in use is the most, also where there is plenty.
TEST_F(BlockCacheTest, PlentyIsNotAll) {
  driver.space = 1'000'000 * mebibyte;
  std::mt19937 random(3);
  std::size_t most_live = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Range*> live;
    for (int k = 0; k < 5; ++k) live.push_back(take((1 + random() % 1000) * mebibyte));
    most_live = std::max(most_live, blocks.use().live);
    EXPECT_LE(blocks.use().reserved, 4 * most_live + 128 * mebibyte);
    for (Range* each : live) blocks.give(each, 0);
  }
}

}  // namespace
}  // namespace metalmom::testing
