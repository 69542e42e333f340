// How "auto" learns from what calls took.
#include <gtest/gtest.h>

#include "dispatch/experience.hpp"

namespace metalmom::test {

namespace {

using dispatch::Side;

class Experience : public ::testing::Test {
 protected:
  void SetUp() override { dispatch::forget_experience(); }
  void TearDown() override { dispatch::forget_experience(); }

  const dispatch::Kind kind_{"op", 10, false, 4, 1};

  Side side(double cpu_ms, double gpu_ms) { return dispatch::judge(kind_, cpu_ms, gpu_ms).side; }

  // A loop of calls that are predicted at (cpu, gpu) and take others; how many ran on the GPU.
  int on_gpu(int calls, double cpu_ms, double gpu_ms, double real_cpu_ms, double real_gpu_ms) {
    int count = 0;
    for (int i = 0; i < calls; ++i) {
      const Side chosen = side(cpu_ms, gpu_ms);
      const bool gpu = chosen == Side::gpu;
      count += gpu;
      dispatch::note_taken(kind_, chosen, gpu ? gpu_ms : cpu_ms, gpu ? real_gpu_ms : real_cpu_ms);
    }
    return count;
  }
};

}  // namespace

TEST_F(Experience, PredictionsDecideAtFirst) {
  EXPECT_EQ(side(1, 0.9), Side::cpu);  // not by so much that it could be told
  EXPECT_EQ(side(1, 0.7), Side::gpu);
}

TEST_F(Experience, ASideThatTakesLongerThanPredictedIsLeft) {
  EXPECT_LE(on_gpu(100, 1, 0.5, 1, 3), 5);
  EXPECT_EQ(side(1, 0.5), Side::cpu);
  dispatch::forget_experience();
  EXPECT_GE(on_gpu(100, 0.5, 0.6, 1.5, 0.6), 95);
}

TEST_F(Experience, ASideThatIsPredictedTooSlowIsTried) {
  EXPECT_GE(on_gpu(100, 0.4, 0.54, 0.4, 0.25), 85);  // mel of one clip of 30 s on an H200
  EXPECT_EQ(side(0.4, 0.54), Side::gpu);
}

TEST_F(Experience, TriesEndAndCostLittle) {
  const int tried = on_gpu(10'000, 1, 2, 1, 2);
  EXPECT_GE(tried, 1);
  EXPECT_LE(tried, 5);
}

TEST_F(Experience, WhatIsFarOffIsNotTried) { EXPECT_EQ(on_gpu(1000, 1, 3, 1, 3), 0); }

TEST_F(Experience, TheFirstCallWarmsUp) {
  dispatch::note_taken(kind_, Side::gpu, 0.5, 100);
  EXPECT_EQ(side(1, 0.5), Side::gpu);
  EXPECT_EQ(dispatch::judge(kind_, 1, 0.5).gpu_ms, 0.5);
}

TEST_F(Experience, OneHiccupIsNoRatio) {
  for (const double taken : {9.0, 0.5, 0.5, 9.0, 0.5, 0.5}) dispatch::note_taken(kind_, Side::gpu, 0.5, taken);
  EXPECT_EQ(dispatch::judge(kind_, 1, 0.5).gpu_ms, 0.5);
}

TEST_F(Experience, OtherKindsLearnForThemselves) {
  on_gpu(100, 1, 0.5, 1, 3);
  const dispatch::Kind larger{"op", 11, false, 4, 1}, other{"another", 10, false, 4, 1};
  EXPECT_EQ(dispatch::judge(larger, 1, 0.5).side, Side::gpu);
  EXPECT_EQ(dispatch::judge(other, 1, 0.5).side, Side::gpu);
}

}  // namespace metalmom::test
