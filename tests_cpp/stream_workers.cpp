// A Convolver with a worker: the same bytes as without whenever nothing was missed, and whole again
// after something was.
#include <gtest/gtest.h>

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cmath>
#include <random>
#include <vector>

#include "stream/convolver.hpp"

namespace metalmom::stream {
namespace {

constexpr Index n_taps = 9000, block = 64;

std::vector<float> noise(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> level(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& each : values) each = level(random);
  return values;
}

// Partitions of three sizes, two of which are the worker's.
PartitionPlan three_levels() {
  PartitionPlan plan;
  plan.base = plan.direct_taps = block;
  plan.levels = {{64, 64, 7}, {256, 512, 6}, {1024, 2048, 7}};
  return plan;
}

Convolver<float> made(LateWork late_work, Index channels = 1, Index n_responses = 1) {
  const auto h = noise(n_responses * n_taps, 1);
  return {three_levels(), {h.data(), n_responses, 1, n_taps}, channels, late_work};
}

// In blocks of a few lengths; `patient` gives the worker the time it takes.
std::vector<float> run(Convolver<float>& convolver, const std::vector<float>& x, Index channels,
                       bool patient) {
  const Index n = std::ssize(x) / channels;
  std::vector<float> y(x.size());
  Index step = 1;
  for (Index at = 0; at < n; at += step, step = step % 67 + 13) {
    if (patient) convolver.settle();
    convolver.process(x.data() + at, n, std::min(step, n - at), y.data() + at, n);
  }
  return y;
}

TEST(StreamWorkers, TheSameBytesIfNothingIsMissed) {
  for (const Index channels : {1, 2}) {
    const auto x = noise(channels * 30000, 2);
    auto plain = made(LateWork::shared, channels, channels);
    auto worked = made(LateWork::by_worker, channels, channels);
    const auto expected = run(plain, x, channels, false);
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(run(worked, x, channels, true), expected);
      EXPECT_EQ(worked.missed_blocks(), 0);
      worked.reset();
    }
  }
}

TEST(StreamWorkers, WhatIsMissedIsCountedAndOver) {
  auto plain = made(LateWork::shared), worked = made(LateWork::by_worker);
  const auto x = noise(200000, 3);
  // Faster than the thread can be: the caller does nothing but bring samples.
  const auto expected = run(plain, x, 1, false), hasty = run(worked, x, 1, false);
  const Index missed = worked.missed_blocks();
  EXPECT_GT(missed, 0);
  EXPECT_NE(hasty, expected);
  for (const float each : hasty) ASSERT_TRUE(std::isfinite(each));
  // When the response has rung out nothing of it is left.
  const std::vector<float> silence(2 * n_taps + 40000, 0.0F);
  run(plain, silence, 1, false);
  run(worked, silence, 1, true);
  const Index before = worked.missed_blocks();
  EXPECT_EQ(run(worked, x, 1, true), run(plain, x, 1, false));
  EXPECT_EQ(worked.missed_blocks(), before);
}

TEST(StreamWorkers, BeginsAnewAndEndsAtAnyTime) {
  const auto x = noise(30000, 4);
  auto plain = made(LateWork::shared);
  const auto expected = run(plain, x, 1, false);
  auto worked = made(LateWork::by_worker);
  for (int round = 0; round < 20; ++round) {
    std::vector<float> y(x.size());
    worked.process(x.data(), 0, 1000 * (round + 1), y.data(), 0);
    worked.reset();
    EXPECT_EQ(worked.missed_blocks(), 0);
    auto gone = made(LateWork::by_worker);
    gone.process(x.data(), 0, 5000, y.data(), 0);
  }
  EXPECT_EQ(run(worked, x, 1, true), expected);
}

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
TEST(StreamWorkers, AForkedChildHasAWorkerOfItsOwn) {
  const auto x = noise(40000, 5);
  const std::vector<float> first(x.begin(), x.begin() + 20000), rest(x.begin() + 20000, x.end());
  auto plain = made(LateWork::shared), worked = made(LateWork::by_worker);
  run(plain, first, 1, false);
  run(worked, first, 1, true);
  const auto expected = run(plain, rest, 1, false);
  const pid_t child = fork();
  if (child == 0) {
    const bool same = run(worked, rest, 1, true) == expected && worked.missed_blocks() == 0;
    worked.reset();
    _exit(same ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(run(worked, rest, 1, true), expected);
}
#endif

}  // namespace
}  // namespace metalmom::stream
