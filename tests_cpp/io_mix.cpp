#include "io/mix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/finite.hpp"

namespace metalmom::io {
namespace {

TEST(Mix, AddsInEightRunningSumsFromEightChannelsOn) {
  // 2^24 + 1 is no float: one sum after the other would lose every 1 that follows the 2^24.
  std::vector<float> frame(17, 1.0f);
  frame[0] = 16777216.0f;
  float mono = 0;
  mix_to_mono(frame.data(), 1, 17, &mono);
  // Running sums: 2^24 (+1 lost), seven times 2; pairs, then the last channel.
  const float sums = ((16777216.0f + 2) + (2 + 2)) + ((2 + 2) + (2 + 2));
  EXPECT_EQ(mono, (sums + 1) / 17);
}

TEST(Mix, MakesNegativeZeroPositive) {
  const std::vector<double> frames{-0.0, -0.0, 1.0, -1.0};
  std::vector<double> mono(2);
  mix_to_mono(frames.data(), 2, 2, mono.data());
  EXPECT_FALSE(std::signbit(mono[0]));
  EXPECT_EQ(mono[1], 0.0);
}

TEST(Mix, SplitsFramesIntoRows) {
  const std::vector<float> frames{1, 2, 3, 4, 5, 6};
  std::vector<float> rows(8, 0.0f);
  split_channels(frames.data(), 3, 2, rows.data(), 4);
  EXPECT_EQ(rows, (std::vector<float>{1, 3, 5, 0, 2, 4, 6, 0}));
}

TEST(Finite, FindsNanAndInfinityAnywhere) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0 / 0.0})
    for (std::size_t place : {0u, 7u, 100u}) {
      std::vector<float> samples(101, 0.5f);
      EXPECT_TRUE(all_finite(samples.data(), 101));
      samples[place] = static_cast<float>(bad);
      EXPECT_FALSE(all_finite(samples.data(), 101));
      std::vector<double> wide(101, 0.5);
      wide[place] = bad;
      EXPECT_FALSE(all_finite(wide.data(), 101));
    }
}

}  // namespace
}  // namespace metalmom::io
