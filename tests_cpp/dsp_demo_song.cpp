#include <gtest/gtest.h>

#include <algorithm>

#include "dsp/demo_song.hpp"

namespace metalmom::dsp {
namespace {

TEST(DemoSong, IsStereoWithinItsRange) {
  const auto song = demo_song(1.5);
  EXPECT_EQ(song.size(), 2u * 66150);
  const auto [low, high] = std::minmax_element(song.begin(), song.end());
  EXPECT_GE(*low, -1.0f);
  EXPECT_LE(*high, 1.0f);
  EXPECT_GT(*high, 0.3f);
}

TEST(DemoSong, LongerSongsBeginAlike) {
  const auto shorter = demo_song(1.9), longer = demo_song(4.0);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

// Each beat is struck where the tempo says: the first milliseconds are louder than those before.
TEST(DemoSong, BeatsAreWhereTheTempoSays) {
  const auto song = demo_song(4.0);
  const auto energy = [&](double begin) {
    double sum = 0;
    const auto first = static_cast<std::size_t>(2 * static_cast<long>(begin * demo_rate));
    for (std::size_t i = first; i < first + 1764; ++i) sum += song[i] * song[i];  // 20 ms
    return sum;
  };
  for (int beat = 1; beat < 7; ++beat) {
    const double at = beat * 60 / demo_tempo;
    EXPECT_GT(energy(at), 2 * energy(at - 0.03)) << beat;
  }
}

}  // namespace
}  // namespace metalmom::dsp
