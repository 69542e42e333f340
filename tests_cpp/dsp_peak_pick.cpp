#include "dsp/peak_pick.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

template <class T>
std::vector<Index> pick(const std::vector<T>& x, const PeakRule& rule, PeakMethod method) {
  const auto mask = std::make_unique<bool[]>(x.size() + 1);
  pick_peaks<T>(x, rule, method, mask.get());
  std::vector<Index> peaks;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (mask[i]) peaks.push_back(static_cast<Index>(i));
  return peaks;
}

bool may_be_peak(const std::vector<double>& x, const PeakRule& rule, Index n) {
  const Index size = std::ssize(x);
  double top = x[static_cast<std::size_t>(n)], sum = 0;
  for (Index i = std::max<Index>(0, n - rule.pre_max); i < std::min(size, n + rule.post_max); ++i)
    top = std::max(top, x[static_cast<std::size_t>(i)]);
  const Index first = std::max<Index>(0, n - rule.pre_avg),
              last = std::min(size, n + rule.post_avg);
  for (Index i = first; i < last; ++i) sum += x[static_cast<std::size_t>(i)];
  const double value = x[static_cast<std::size_t>(n)];
  return value == top && value >= sum / static_cast<double>(last - first) + rule.delta;
}

// The best number or sum over all admissible sets, by recursion.
double best(const std::vector<double>& x, const PeakRule& rule, bool count, Index n) {
  if (n >= std::ssize(x)) return 0;
  const double without = best(x, rule, count, n + 1);
  if (!may_be_peak(x, rule, n)) return without;
  const double gain = count ? 1 : x[static_cast<std::size_t>(n)];
  return std::max(without, gain + best(x, rule, count, n + rule.wait + 1));
}

TEST(PeakPick, GreedyTakesTheEarliest) {
  const std::vector<float> x = {0, 3, 0, 0, 5, 4, 6, 0};
  EXPECT_EQ(pick(x, {1, 2, 1, 2, 0.5, 0}, PeakMethod::greedy), (std::vector<Index>{1, 4, 6}));
  EXPECT_EQ(pick(x, {1, 2, 1, 2, 0.5, 2}, PeakMethod::greedy), (std::vector<Index>{1, 4}));
  EXPECT_EQ(pick(x, {1, 2, 1, 2, 0.5, 100}, PeakMethod::greedy), (std::vector<Index>{1}));
}

TEST(PeakPick, OptimalSetsMayLeaveTheEarliest) {
  const std::vector<float> x = {5, 6, 0, 0};
  const PeakRule every_value{0, 1, 0, 1, 0, 2};
  EXPECT_EQ(pick(x, every_value, PeakMethod::greedy), (std::vector<Index>{0, 3}));
  EXPECT_EQ(pick(x, every_value, PeakMethod::dp_count), (std::vector<Index>{0, 3}));
  EXPECT_EQ(pick(x, every_value, PeakMethod::dp_value), (std::vector<Index>{1}));
}

TEST(PeakPick, OptimalSetsAreOptimal) {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const auto values = test::noise<double>(18, seed);
    const std::vector<double> x(values.begin(), values.end());
    const auto s = static_cast<Index>(seed);
    const PeakRule rule{s % 2, 1 + s % 3, s % 4, 1 + s % 5, 0.02, s % 4};
    for (const bool count : {true, false}) {
      const auto peaks = pick(x, rule, count ? PeakMethod::dp_count : PeakMethod::dp_value);
      double value = 0;
      for (std::size_t i = 0; i < peaks.size(); ++i) {
        ASSERT_TRUE(may_be_peak(x, rule, peaks[i]));
        if (i > 0) {
          ASSERT_GT(peaks[i] - peaks[i - 1], rule.wait);
        }
        value += count ? 1 : x[static_cast<std::size_t>(peaks[i])];
      }
      EXPECT_NEAR(value, best(x, rule, count, 0), 1e-12) << "seed " << seed;
    }
  }
}

TEST(PeakPick, HugeWindowsAndEmptyCurves) {
  constexpr Index huge = std::numeric_limits<Index>::max() / 2;
  const std::vector<double> x = {1, 5, 2};
  for (const auto method : {PeakMethod::greedy, PeakMethod::dp_count, PeakMethod::dp_value}) {
    EXPECT_EQ(pick(x, {huge, huge, huge, huge, 0, huge}, method), (std::vector<Index>{1}));
    EXPECT_TRUE(pick(std::vector<double>{}, {}, method).empty());
  }
}

}  // namespace
}  // namespace metalmom::dsp
