#include "stream/meter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stream/turns.hpp"

namespace metalmom {
namespace {

using stream::Meter, stream::Turns;

std::int64_t ticks_of(double us) {
  return static_cast<std::int64_t>(us * 1e3 / ns_per_tick());
}

TEST(StreamMeter, KnowsTimesToAnEighth) {
  Meter meter;
  // 1,000 blocks: 980 of 3 us, 15 of 100 us, 5 of 40 ms
  for (int i = 0; i < 980; ++i) meter.count(ticks_of(3), 64);
  for (int i = 0; i < 15; ++i) meter.count(ticks_of(100), 64);
  for (int i = 0; i < 5; ++i) meter.count(ticks_of(40e3), 64);
  const auto found = meter.report();
  EXPECT_EQ(found.blocks, 1000);
  EXPECT_EQ(found.samples, 64000);
  EXPECT_NEAR(found.seconds, 980 * 3e-6 + 15 * 1e-4 + 5 * 40e-3, 1e-5);
  for (const auto& [share, us] :
       {std::pair{0.5, 3.0}, {0.98, 3.0}, {0.981, 100.0}, {0.995, 100.0}, {0.996, 40e3}}) {
    EXPECT_GE(found.within(share), us * 0.999e-6) << share;
    EXPECT_LE(found.within(share), us * 1.126e-6) << share;
  }
  EXPECT_NEAR(found.worst, 40e-3, 1e-6);
  EXPECT_EQ(found.within(1), found.worst);
  EXPECT_EQ(found.of_power(1), 980);  // 2 to 4 us
  EXPECT_EQ(found.of_power(6), 15);   // 64 to 128 us
  EXPECT_EQ(found.of_power(15), 5);   // 33 to 66 ms
  EXPECT_EQ(found.of_power(2), 0);
}

TEST(StreamMeter, EveryTimeHasOneBin) {
  Meter meter;
  Index blocks = 0;
  for (double us = 1e-3; us < 1e9; us *= 1.07, ++blocks) meter.count(ticks_of(us), 1);
  meter.count(-5, 1);  // clocks of two cores may differ a little
  const auto found = meter.report();
  Index sum = 0;
  for (int i = 0; i < Meter::n_powers; ++i) sum += found.of_power(Meter::first_power + i);
  EXPECT_EQ(sum, blocks + 1);
  EXPECT_EQ(found.blocks, blocks + 1);
}

TEST(StreamMeter, CountsBlocksThatTakeLongerThanTheyLast) {
  Meter meter;
  EXPECT_FALSE(meter.count(ticks_of(1e6), 1).is_late);  // nobody has said how long it lasts
  meter.set_budget(48000, 0);
  EXPECT_EQ(meter.report().blocks, 0);
  EXPECT_FALSE(meter.count(ticks_of(990), 48).is_late);
  EXPECT_TRUE(meter.count(ticks_of(1010), 48).is_late);
  EXPECT_FALSE(meter.count(ticks_of(1010), 480).is_late);
  EXPECT_EQ(meter.report().late, 1);
  EXPECT_NEAR(meter.report().lasted, 576 / 48e3, 1e-9);
  meter.set_budget(0, 1e-3);
  EXPECT_FALSE(meter.count(ticks_of(990), 1).is_late);
  EXPECT_TRUE(meter.count(ticks_of(1010), 1000).is_late);
}

struct Seen {
  std::string stream;
  Index samples, late;
  std::int64_t ticks;
};
std::vector<Seen> seen;

class StreamMeterOfTurns : public ::testing::Test {
 protected:
  void SetUp() override {
    seen.clear();
    block_hook = [](const TimedBlock& block) noexcept {
      seen.push_back({block.stream, block.samples, block.late, block.end - block.begin});
    };
  }
  void TearDown() override { block_hook = nullptr; }

  void block(Index samples, bool last = false) {
    const auto turn = turns_.take();
    turns_.change();
    turns_.done_block(samples, last);
  }
  Index blocks() { return turns_.meter().report().blocks; }

  Turns turns_{"MFCC"};
};

TEST_F(StreamMeterOfTurns, ATurnWithABlockIsCountedOnce) {
  block(100);
  {
    const auto turn = turns_.take();  // asks something
  }
  block(0);
  EXPECT_EQ(blocks(), 1);
  const int token = 0;
  turns_.begin(&token);
  block(200);
  block(7);  // what a part made of it
  EXPECT_EQ(blocks(), 1);
  turns_.end(&token);
  EXPECT_EQ(blocks(), 2);
  ASSERT_EQ(seen.size(), 2);
  EXPECT_EQ(seen[0].stream, "MFCC");
  EXPECT_EQ(seen[0].samples, 100);
  EXPECT_EQ(seen[1].samples, 200);
  EXPECT_GE(seen[1].ticks, 0);
}

TEST_F(StreamMeterOfTurns, TheEndOfASignalHasNoDeadline) {
  turns_.meter().set_budget(1e9, 0);
  block(1, true);
  block(1);
  EXPECT_EQ(blocks(), 1);
  EXPECT_EQ(turns_.meter().late(), 1);
  ASSERT_EQ(seen.size(), 1);
  EXPECT_EQ(seen[0].late, 1);
}

TEST_F(StreamMeterOfTurns, AResetBeginsAnewAndATurnThatEndsByItIsNone) {
  block(1);
  const int token = 0;
  turns_.begin(&token);
  block(1);
  turns_.done_anew();
  turns_.end(&token);
  EXPECT_EQ(blocks(), 0);
}

TEST_F(StreamMeterOfTurns, WhatIsLostIsNotCounted) {
  const int token = 0;
  turns_.begin(&token);
  block(1);
  turns_.lose(&token);
  EXPECT_EQ(blocks(), 0);
}

}  // namespace
}  // namespace metalmom
