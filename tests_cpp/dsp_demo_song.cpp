#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "dsp/demo_song.hpp"

namespace metalmom::dsp {
namespace {

// The left channel, then the right one.
std::vector<float> demo_song(double seconds) {
  const auto n = static_cast<std::size_t>(demo_samples(seconds));
  std::vector<float> song(2 * n);
  dsp::demo_song(seconds, song.data(), song.data() + n);
  return song;
}

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
  const auto n = static_cast<std::ptrdiff_t>(shorter.size() / 2);
  for (const auto& [mine, others] : {std::pair(shorter.begin(), longer.begin()),
                                     std::pair(shorter.end() - n, longer.end() - 176400)})
    EXPECT_TRUE(std::equal(mine, mine + n, others));
}

// Each beat is struck where the tempo says: the first milliseconds are louder than those before.
TEST(DemoSong, BeatsAreWhereTheTempoSays) {
  const auto song = demo_song(4.0);
  const auto energy = [&](double begin) {
    double sum = 0;
    const auto first = static_cast<std::size_t>(begin * demo_rate);
    for (std::size_t i = first; i < first + 882; ++i) sum += song[i] * song[i];  // 20 ms
    return sum;
  };
  for (int beat = 1; beat < 7; ++beat) {
    const double at = beat * 60 / demo_tempo;
    EXPECT_GT(energy(at), 2 * energy(at - 0.03)) << beat;
  }
}

}  // namespace
}  // namespace metalmom::dsp
