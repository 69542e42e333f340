#include "dsp/tuning.hpp"

#include <gtest/gtest.h>

#include "dsp/frame_transform.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

struct Found {
  Index bin, lane;
  SpectralPeak<double> peak;
};

std::vector<Found> find(const std::vector<double>& lanes, Index n_bins, Index count,
                        const PeakBand& band, double factor = 0.1) {
  double limit[block_frames];
  peak_limits(lanes.data(), n_bins, factor, limit);
  std::vector<Found> found;
  visit_peaks<double>(lanes.data(), n_bins, count, limit, band,
                      [&](Index bin, Index lane, SpectralPeak<double> peak) {
                        found.push_back({bin, lane, peak});
                      });
  return found;
}

TEST(Peaks, TheTopOfAParabolaIsFound) {
  const Index n_bins = 12;
  std::vector<double> lanes(n_bins * block_frames, 0.0);
  // 10 - (bin - 5.3)^2 in lane 2
  for (Index bin = 3; bin < 9; ++bin)
    lanes[static_cast<std::size_t>(bin * block_frames + 2)] =
        10 - (static_cast<double>(bin) - 5.3) * (static_cast<double>(bin) - 5.3);
  const auto found = find(lanes, n_bins, 3, {0, n_bins, 100.0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bin, 5);
  EXPECT_EQ(found[0].lane, 2);
  EXPECT_NEAR(found[0].peak.frequency, 530, 1e-9);
  EXPECT_NEAR(found[0].peak.magnitude, 10, 1e-9);
  EXPECT_TRUE(find(lanes, n_bins, 2, {0, n_bins, 100.0}).empty()) << "lane 2 is not asked for";
  EXPECT_TRUE(find(lanes, n_bins, 3, {6, n_bins, 100.0}).empty()) << "below the band";
  EXPECT_TRUE(find(lanes, n_bins, 3, {0, 5, 100.0}).empty()) << "above the band";
  EXPECT_TRUE(find(lanes, n_bins, 3, {0, n_bins, 100.0}, 1.0).empty()) << "not above the limit";
}

// The first bin is never a peak; the last one is where it rises, and is not interpolated.
TEST(Peaks, EdgesAndPlateaus) {
  const std::vector<double> spectrum = {9, 1, 4, 4, 1, 2};
  std::vector<double> lanes(spectrum.size() * block_frames, 0.0);
  for (std::size_t bin = 0; bin < spectrum.size(); ++bin) lanes[bin * block_frames] = spectrum[bin];
  const auto found = find(lanes, 6, 1, {0, 6, 1.0});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bin, 2);
  EXPECT_NEAR(found[0].peak.frequency, 2.5, 1e-15);
  EXPECT_EQ(found[1].bin, 5);
  EXPECT_EQ(found[1].peak.frequency, 5.0);
  EXPECT_EQ(found[1].peak.magnitude, 2.0);
}

TEST(Peaks, NaNHidesItsFrame) {
  std::vector<double> lanes(4 * block_frames, 0.0);
  for (const std::size_t lane : {0, 1}) lanes[block_frames + lane] = 5;
  lanes[3 * block_frames] = std::numeric_limits<double>::quiet_NaN();
  const auto found = find(lanes, 4, 2, {0, 4, 1.0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].lane, 1);
}

TEST(Tunings, AreTheMostFrequentDeviation) {
  std::vector<double> frequencies = {-1, 0};
  const auto add = [&](double cents, int times) {
    for (int i = 0; i < times; ++i)
      frequencies.push_back(440 * std::pow(2.0, (i % 5 - 2) / 12.0 + cents / 1200));
  };
  add(20.5, 5);
  add(-33.5, 7);
  add(48.5, 6);
  const Tuning tuning = histogram_tuning<double>(frequencies, 0.01, 12);
  EXPECT_EQ(tuning.votes, 18);
  EXPECT_NEAR(tuning.deviation, -0.34, 1e-12);  // the cell begins a half cent below
  EXPECT_EQ(histogram_tuning<double>(std::vector<double>{-1.0}, 0.01, 12).votes, 0);
  EXPECT_EQ(histogram_tuning<double>(std::vector<double>{}, 0.01, 12).deviation, 0);
}

}  // namespace
}  // namespace metalmom::dsp
