// The cache of blocks, where a device is late: one thread waits for it, others go on.
#include <algorithm>
#include <atomic>
#include <future>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "counting_driver.hpp"

namespace metalmom::testing {
namespace {

// A device that goes on when the test says so.
class LateDriver final : public CountingDriver {
 public:
  bool wait(gpu::BusyUntil until) override {
    waiting.set_value();
    goes_on.get_future().wait();
    return CountingDriver::wait(until);
  }
  std::promise<void> waiting, goes_on;
};

class LateDevice : public ::testing::Test {
 protected:
  using Range = gpu::BlockCache::Range;
  // What is taken behind a block of 320 MiB that work still uses.
  void SetUp() override {
    used_ = blocks_.take(100, unlimited);
    busy_ = blocks_.take(320 * mebibyte, unlimited);
    blocks_.give(busy_, 5);
    taken_ = std::async(std::launch::async, [&] { return blocks_.take(400 * mebibyte, limit); });
    driver_.waiting.get_future().wait();
  }
  static constexpr std::size_t limit = 600 * mebibyte;
  LateDriver driver_;
  gpu::BlockCache blocks_{driver_};
  Range *used_ = nullptr, *busy_ = nullptr;
  std::future<Range*> taken_;
};

TEST_F(LateDevice, OthersGiveAndTakeWhileOneWaits) {
  Range* const other = blocks_.take(200, limit);
  ASSERT_NE(other, nullptr);
  blocks_.give(used_, 0);
  Range* const fresh = blocks_.take(30 * mebibyte, unlimited);  // of the driver
  EXPECT_EQ(blocks_.use().live, fresh->bytes + other->bytes);
  blocks_.age();
  blocks_.shrink_at_once(0);
  driver_.goes_on.set_value();
  EXPECT_NE(taken_.get(), nullptr);
  EXPECT_LE(blocks_.use().reserved, limit);
}

TEST_F(LateDevice, WhatOneWaitsForOthersMayTake) {
  EXPECT_EQ(blocks_.take(310 * mebibyte, limit), busy_);
  driver_.goes_on.set_value();
  EXPECT_EQ(taken_.get(), nullptr);
  EXPECT_LE(blocks_.use().reserved, limit);
}

TEST(BlockCacheWaits, EndBesideThoseWhoTakeAndGive) {
  struct BusyDriver final : CountingDriver {
    bool wait(gpu::BusyUntil until) override {
      gpu::BlockCache::Range* const range = cache->take(100 * mebibyte, unlimited);
      cache->give(range, until.own + 1);
      return ++waits < 100;
    }
    gpu::BlockCache* cache = nullptr;
  } busy;
  gpu::BlockCache cache(busy);
  busy.cache = &cache;
  cache.give(cache.take(100 * mebibyte, unlimited), 5);
  cache.shrink_to(0);
  EXPECT_EQ(busy.waits, 1u);
}

// There is nothing else to be had: whoever takes waits again for what others have taken and given.
TEST(BlockCacheWaits, GoOnForTheRestOfALimit) {
  struct BusyDriver final : CountingDriver {
    bool wait(gpu::BusyUntil until) override {
      if (waits == 3) return CountingDriver::wait(until);
      ++waits;
      cache->give(cache->take(100 * mebibyte, unlimited), until.own + 1);
      return true;
    }
    gpu::BlockCache* cache = nullptr;
  } busy;
  gpu::BlockCache cache(busy);
  busy.cache = &cache;
  cache.give(cache.take(100 * mebibyte, unlimited), 5);
  EXPECT_NE(cache.take(200 * mebibyte, 250 * mebibyte), nullptr);
  EXPECT_EQ(busy.waits, 4u);
}

// One whose device is lost, or that a signal ends.
TEST(BlockCacheWaits, MayFail) {
  struct LostDriver final : CountingDriver {
    bool wait(gpu::BusyUntil) override {
      ++waits;
      if (is_ended) throw std::runtime_error("a signal");
      return false;
    }
    bool is_ended = false;
  } lost;
  gpu::BlockCache cache(lost);
  cache.give(cache.take(100 * mebibyte, unlimited), 5);
  EXPECT_EQ(cache.take(200 * mebibyte, 250 * mebibyte), nullptr);
  cache.shrink_to(0);
  EXPECT_EQ(lost.waits, 2u);
  lost.is_ended = true;
  EXPECT_THROW(cache.take(200 * mebibyte, 250 * mebibyte), std::runtime_error);
  EXPECT_NE(cache.take(100 * mebibyte, 250 * mebibyte), nullptr);
  EXPECT_EQ(lost.made, 1u);
}

// A device that works for threads side by side, and knows what it has given.
class SharedDriver final : public gpu::BlockCache::Driver {
 public:
  std::shared_ptr<void> make(std::size_t bytes) override {
    given += bytes;
    most_given = std::max(most_given, given.load());
    return {new int, [this, bytes](int* block) {
              given -= bytes;
              delete block;
            }};
  }
  std::size_t room() override { return unlimited; }
  bool reached(gpu::BusyUntil until) override { return until.own <= now; }
  bool wait(gpu::BusyUntil until) override {
    for (gpu::Tick seen = now; seen < until.own && !now.compare_exchange_weak(seen, until.own);) {
    }
    return true;
  }
  std::atomic<std::size_t> given{0};
  std::size_t most_given = 0;  // they ask in turn
  std::atomic<gpu::Tick> now{0}, submitted{0};
};

TEST(BlockCacheWaits, ALimitHoldsForThreadsTogether) {
  constexpr std::size_t limit = 300 * mebibyte;
  SharedDriver driver;
  gpu::BlockCache blocks(driver);
  std::atomic<int> served{0};
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 2000; ++i) {
      const std::size_t bytes = (1 + random() % 90) * mebibyte / (1 + random() % 50);
      gpu::BlockCache::Range* const range = blocks.take(bytes, limit);
      if (!range) continue;
      ++served;
      blocks.give(range, ++driver.submitted);
    }
  };
  std::vector<std::future<void>> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.push_back(std::async(std::launch::async, work, seed));
  for (auto& each : threads) each.get();
  EXPECT_LE(driver.most_given, limit);
  EXPECT_GT(served, 4000);
  EXPECT_EQ(blocks.use().live, 0u);
  blocks.shrink_to(0);
  EXPECT_EQ(driver.given, 0u);
  EXPECT_EQ(blocks.use().reserved, 0u);
}

}  // namespace
}  // namespace metalmom::testing
