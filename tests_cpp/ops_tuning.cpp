#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/workers.hpp"
#include "dsp/rank_counts.hpp"
#include "ops/pitch/peak_set.hpp"

namespace metalmom::ops {
namespace {

template <class T>
using Peaks = std::vector<dsp::SpectralPeak<T>>;

// By sorting everything.
template <class T>
dsp::Tuning sorted_tuning(Peaks<T> peaks) {
  std::ranges::sort(peaks, {}, &dsp::SpectralPeak<T>::magnitude);
  const std::size_t half = peaks.size() / 2;
  T median = peaks[half].magnitude;
  if (peaks.size() % 2 == 0) median = (peaks[half - 1].magnitude + median) / 2;
  std::vector<T> voting;
  for (const auto& peak : peaks)
    if (peak.magnitude >= median) voting.push_back(peak.frequency);
  return dsp::histogram_tuning<T>(voting, 0.01, 12);
}

template <class T>
void check_any_number(int threads) {
  const ThreadsScope scope(threads);
  std::mt19937 random(1);
  std::lognormal_distribution<T> magnitude(0, 4);
  std::uniform_real_distribution<T> frequency(100, 4000);
  for (const int n : {1, 2, 3, 10, 11, 1000, 50'001, 100'000}) {
    Peaks<T> peaks;
    for (int i = 0; i < n; ++i) peaks.push_back({frequency(random), magnitude(random)});
    if (n == 1000)  // a median between many equal ones
      for (auto& peak : peaks) peak.magnitude = std::max(peak.magnitude, T(1));
    PeakSet<T> set;
    parallel_for(n, 700, [&](Index first, Index last) {
      for (Index i = first; i < last; i += 100)
        set.add(std::span<const dsp::SpectralPeak<T>>(peaks).subspan(
            static_cast<std::size_t>(i), static_cast<std::size_t>(std::min<Index>(100, last - i))));
    });
    const dsp::Tuning expected = sorted_tuning(peaks), found = set.tuning(0.01, 12);
    EXPECT_EQ(found.votes, expected.votes) << n;
    EXPECT_EQ(found.deviation, expected.deviation) << n;
  }
}

TEST(PeakSet, TuningIsThatOfSortedPeaks) {
  for (const int threads : {1, 4}) {
    check_any_number<float>(threads);
    check_any_number<double>(threads);
  }
}

TEST(PeakSet, WeakPeaksDoNotVote) {
  PeakSet<float> set;
  EXPECT_EQ(set.tuning(0.01, 12).votes, 0);
  set.add(Peaks<float>(5, {440.0f * 1.014f, 1.0f}));
  set.add(Peaks<float>(6, {440.0f, 2.0f}));
  EXPECT_EQ(set.tuning(0.01, 12).votes, 6);
}

TEST(RankCounts, CellsAscendWithValues) {
  const auto cells_of = []<class T>(T) {
    constexpr T inf = std::numeric_limits<T>::infinity();
    std::vector<Index> cells;
    for (const T value :
         {-inf, T(-1e30), T(-2), T(-1e-30), T(0), T(1e-42), T(1e-30), T(1), T(2), inf})
      cells.push_back(dsp::RankCounts<T>::cell(value));
    return cells;
  };
  EXPECT_TRUE(std::ranges::is_sorted(cells_of(1.0f)));
  EXPECT_TRUE(std::ranges::is_sorted(cells_of(1.0)));
}

TEST(RankCounts, PlacesAreThoseOfTheSortedValues) {
  dsp::RankCounts<float> counts, more;
  for (const float value : {4.0f, 1.0f, 4.0f}) counts.add(value);
  more.add(2.0f);
  counts.add(more);
  EXPECT_EQ(counts.place(0).cell, counts.cell(1.0f));
  EXPECT_EQ(counts.place(1).cell, counts.cell(2.0f));
  EXPECT_EQ(counts.place(1).before, 1);
  EXPECT_EQ(counts.place(3).cell, counts.cell(4.0f));
  EXPECT_EQ(counts.place(3).before, 2);
}

}  // namespace
}  // namespace metalmom::ops
