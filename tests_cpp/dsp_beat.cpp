#include "dsp/beat.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

template <class T>
class Beats : public testing::Test {
 protected:
  // The whole tracker on an envelope; which frames are beats.
  std::vector<Index> track(const std::vector<T>& onsets, const std::vector<double>& periods,
                           bool trim = true, double tightness = 100) {
    const std::size_t n = onsets.size();
    std::vector<T> normalized(n);
    score.assign(n, T(0));
    backlink.assign(n, 0);
    total.assign(n, 0);
    const auto beats = std::make_unique<bool[]>(n);
    beat_local_score<T>(onsets, periods, normalized.data(), score.data());
    beat_paths<T>(score, periods, tightness, backlink.data(), total.data());
    beat_backtrack(backlink, total, beats.get());
    trim_beats<T>(score, trim, beats.get());
    std::vector<Index> frames;
    for (std::size_t i = 0; i < n; ++i)
      if (beats[i]) frames.push_back(static_cast<Index>(i));
    return frames;
  }

  std::vector<T> score;
  std::vector<std::int32_t> backlink;
  std::vector<double> total;
};

TYPED_TEST_SUITE(Beats, test::Precisions);

template <class T>
std::vector<T> pulses(Index n, Index first, Index period) {
  std::vector<T> onsets(static_cast<std::size_t>(n), T(0));
  for (Index i = first; i < n; i += period) onsets[static_cast<std::size_t>(i)] = 1;
  return onsets;
}

TYPED_TEST(Beats, FindPulses) {
  const auto beats = this->track(pulses<TypeParam>(300, 10, 22), {22});
  ASSERT_EQ(beats.size(), 14u);
  for (std::size_t i = 0; i < beats.size(); ++i)
    EXPECT_EQ(beats[i], 10 + 22 * static_cast<Index>(i));
}

TYPED_TEST(Beats, KeepTheTempoOverAMissingPulse) {
  auto onsets = pulses<TypeParam>(300, 10, 22);
  onsets[10 + 5 * 22] = 0;
  const auto beats = this->track(onsets, {22});
  ASSERT_EQ(beats.size(), 14u);
  EXPECT_NEAR(static_cast<double>(beats[5]), 10 + 5 * 22, 1);
}

TYPED_TEST(Beats, FollowATempoThatVaries) {
  std::vector<TypeParam> onsets(400, TypeParam(0));
  std::vector<double> periods(400, 20.0);
  std::fill(periods.begin() + 200, periods.end(), 30.0);
  for (Index i = 10; i < 400; i += i < 200 ? 20 : 30) onsets[static_cast<std::size_t>(i)] = 1;
  // What librosa 1.0.0 finds: the pulse at 210 is 20 frames late for the new tempo.
  EXPECT_EQ(this->track(onsets, periods),
            (std::vector<Index>{30, 50, 70, 90, 110, 130, 150, 170, 190, 215, 240, 270, 300, 330,
                                360, 390}));
}

TYPED_TEST(Beats, OneTempoOfEveryFrameIsTheSteadyTempo) {
  const auto onsets = pulses<TypeParam>(300, 3, 17);
  const auto steady = this->track(onsets, {17});
  const auto steady_score = this->score;
  EXPECT_EQ(this->track(onsets, std::vector<double>(300, 17.0)), steady);
  EXPECT_EQ(this->score, steady_score);
}

TYPED_TEST(Beats, TrimmingDropsWeakEnds) {
  auto onsets = pulses<TypeParam>(400, 10, 20);
  for (Index i = 200; i < 400; ++i) onsets[static_cast<std::size_t>(i)] *= TypeParam(1e-3);
  const auto trimmed = this->track(onsets, {20});
  const auto all = this->track(onsets, {20}, false);
  EXPECT_LT(trimmed.back(), 210);
  EXPECT_GT(all.size(), trimmed.size());
}

TYPED_TEST(Beats, SilenceAndConstantsHaveNone) {
  EXPECT_TRUE(this->track(std::vector<TypeParam>(50, TypeParam(0)), {10}, false).empty());
  // No deviation: the quotient overflows, and nothing lies above the threshold.
  this->track(std::vector<TypeParam>(50, TypeParam(1)), {10});
}

TYPED_TEST(Beats, PeriodsOfNoAndOfManyFramesAreHarmless) {
  const auto onsets = pulses<TypeParam>(60, 5, 9);
  for (const double period : {0.0, 1.0, 2.0, 59.0, 60.0, 1e12})
    EXPECT_LE(this->track(onsets, {period}).size(), onsets.size());
}

// The sum of 8 running sums over blocks: what numpy.std gives for these values, to the last bit.
TEST(SampleDeviation, SumsAsNumPyDoes) {
  std::vector<float> x;
  for (int i = 0; i < 1000; ++i) x.push_back(0.1f * static_cast<float>(i % 37) + 1000.0f);
  EXPECT_EQ(sample_deviation<float>(x), 1.0692241f);
  EXPECT_TRUE(std::isnan(sample_deviation<double>(std::vector<double>{1.0})));
}

}  // namespace
}  // namespace metalmom::dsp
