// YIN and linear prediction against their definitions, with every instruction set of this machine.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dsp/linear_prediction.hpp"
#include "dsp/periods.hpp"
#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Periods : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Periods, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// Differences between a frame, zeros beyond it, and itself k samples later; as librosa has them,
// the first one with the energy of the first sample twice.
template <class T>
std::vector<double> differences_of(const T* frame, Index length, Index last) {
  std::vector<double> result{0};
  double sum = 0;
  for (Index k = 1; k <= last; ++k) {
    double difference = k == 1 ? static_cast<double>(frame[0]) * frame[0] : 0;
    for (Index j = 0; j < length; ++j) {
      const double later = j + k < length ? static_cast<double>(frame[j + k]) : 0;
      difference += (frame[j] - later) * (frame[j] - later);
    }
    sum += difference;
    result.push_back(difference / (sum / static_cast<double>(k)));
  }
  return result;
}

template <class T>
void expect_differences(Index frame_length, PeriodRange periods, double tolerance) {
  const auto y = test::noise<T>(4000);
  const FrameSource<T> source{y.data(), 4000, 300, frame_length, frame_length / 2};
  const PeriodDifferences<T> differences(frame_length, periods);
  const Buffer<T> found(static_cast<std::size_t>(periods.size() * block_frames));
  std::vector<T> frame(static_cast<std::size_t>(frame_length));
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 7}, {3, 1}}) {
    differences.block(source, first, count, found.data());
    for (Index i = 0; i < block_frames; ++i) {
      std::vector<double> expected(static_cast<std::size_t>(periods.last + 1), 0.0);
      if (i < count) {
        gather_frame(source, first + i, frame.data());
        expected = differences_of(frame.data(), frame_length, periods.last);
      }
      for (Index k = 0; k < periods.size(); ++k)
        EXPECT_NEAR(found.data()[k * block_frames + i],
                    expected[static_cast<std::size_t>(periods.first + k)], tolerance)
            << "frame " << i << ", period " << periods.first + k;
    }
  }
}

TEST_P(Periods, DifferencesAreThoseOfTheDefinition) {
  expect_differences<float>(512, {10, 200}, 2e-5);
  expect_differences<float>(301, {1, 299}, 2e-5);
  expect_differences<double>(512, {10, 200}, 1e-12);
}

// Values of one lane of a block.
std::vector<float> as_lane(const std::vector<float>& values) {
  std::vector<float> lanes(values.size() * block_frames, 9);
  for (std::size_t i = 0; i < values.size(); ++i) lanes[i * block_frames] = values[i];
  return lanes;
}

TEST_P(Periods, TheFirstTroughBelowTheThresholdElseTheLeastValue) {
  const PeriodRange periods{10, 16};
  const auto period = [&](const std::vector<float>& values, double threshold) {
    double f0[block_frames];
    choose_frequencies(as_lane(values).data(), periods, threshold, 1, f0);
    return 1 / f0[0];
  };
  const std::vector<float> two{1, .5f, 1, .75f, .25f, .75f, 1};
  EXPECT_NEAR(period(two, .6), 11, 1e-6);
  EXPECT_NEAR(period(two, .3), 14, 1e-6);
  EXPECT_NEAR(period(two, .1), 14, 1e-6) << "none is below";
  EXPECT_NEAR(period({.1f, .5f, 1, 1, 1, 1, 1}, .2), 10, 1e-6) << "the first one";
  EXPECT_NEAR(period({1, 1, 1, 1, 1, .5f, .1f}, .2), 16, 1e-6) << "the last one";
  EXPECT_NEAR(period({1, .5f, .75f, 1, 1, 1, 1}, .6), 11 + 1. / 6, 1e-6) << "between samples";
}

TEST_P(Periods, CandidatesAreAsLikelyAsTheirThresholds) {
  std::vector<double> thresholds, weights;
  for (int i = 0; i <= 20; ++i) thresholds.push_back(i / 20.);
  for (int i = 1; i <= 20; ++i) weights.push_back(i / 210.);
  const std::vector<float> values{1, .52f, 1, .75f, .23f, .75f, .61f, 1, .52f, 1, 2, 1.5f};
  const std::vector<Index> troughs{1, 4, 6, 8, 11};
  std::vector<double> expected(values.size());
  for (std::size_t j = 0; j < weights.size(); ++j) {
    std::vector<std::size_t> below;
    for (const Index at : troughs)
      if (values[static_cast<std::size_t>(at)] < thresholds[j + 1])
        below.push_back(static_cast<std::size_t>(at));
    const auto n = static_cast<double>(below.size());
    for (std::size_t k = 0; k < below.size(); ++k)
      expected[below[k]] += weights[j] * (1 - std::exp(-1.5)) *
                            std::exp(-1.5 * static_cast<double>(k)) / (1 - std::exp(-1.5 * n));
    if (thresholds[j + 1] <= .23) expected[4] += .3 * weights[j];
  }
  TroughCandidates<float> candidates({thresholds, weights, 1.5, .3});
  std::vector<PeriodCandidate> found;
  candidates.find(as_lane(values).data(), std::ssize(values), found);
  ASSERT_EQ(found.size(), 4u) << "the last trough is below no threshold";
  for (const auto& candidate : found)
    EXPECT_NEAR(candidate.probability, expected[static_cast<std::size_t>(candidate.index)], 1e-7);
  candidates.find(as_lane({1, 1, 1}).data(), 3, found);
  EXPECT_TRUE(found.empty());
}

TEST_P(Periods, PredictionFindsTheFilterThatMadeTheSignal) {
  const auto input = test::noise<double>(20000);
  std::vector<double> y(input.begin(), input.end());
  for (std::size_t n = 2; n < y.size(); ++n) y[n] += 1.2 * y[n - 1] - .7 * y[n - 2];
  double found[4];
  linear_prediction<double>(y, 3, found);
  const double expected[] = {1, -1.2, .7, 0};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 0.02);

  // The definition, order after order.
  std::vector<double> f(y.begin() + 1, y.end()), b(y.begin(), y.end() - 1), a{1};
  for (int order = 1; order <= 3; ++order) {
    double product = 0, energy = 0;
    for (std::size_t n = 0; n < f.size(); ++n) product += f[n] * b[n];
    for (std::size_t n = 0; n < f.size(); ++n) energy += f[n] * f[n] + b[n] * b[n];
    const double k = -2 * product / energy;
    std::vector<double> next(a);
    next.push_back(0);
    for (std::size_t j = 1; j < next.size(); ++j) next[j] += k * a[a.size() - j];
    a = next;
    for (std::size_t n = 0; n < f.size(); ++n) {
      const double forward = f[n];
      f[n] += k * b[n];
      b[n] += k * forward;
    }
    f.erase(f.begin());
    b.pop_back();
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], a[i], 1e-12);
}

}  // namespace
}  // namespace metalmom::dsp
