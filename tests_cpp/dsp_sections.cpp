#include "dsp/sections.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dsp/simd/select.hpp"
#include "dsp/spline.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Sections : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Sections, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// One filter by the definition, from a state in which a constant input would leave it.
void run(const double* filter, Index n_sections, std::vector<double>& y) {
  for (Index s = 0; s < n_sections; ++s) {
    const double* const c = filter + 6 * s;
    const double steady = y[0] * (c[0] + c[1] + c[2]) / (1 + c[4] + c[5]);
    double z1 = steady - c[0] * y[0], z2 = c[2] * y[0] - c[5] * steady;
    for (double& value : y) {
      const double x = value;
      value = c[0] * x + z1;
      z1 = c[1] * x - c[4] * value + z2;
      z2 = c[2] * x - c[5] * value;
    }
  }
}

// Fewer filters than lanes, more sections than fit the registers, several chunks, frames between
// samples and beyond the end.
TEST_P(Sections, EnergiesAreThoseOfTheDefinition) {
  const Index n = 1700, edge = 9;
  for (const Index n_sections : {1, 3, 4, 5, 9})
    for (const Index n_filters : {1, 5, 8}) {
      std::vector<double> sections;
      for (Index i = 0; i < n_filters * n_sections; ++i) {
        const double turn = std::cos(0.2 + 0.05 * static_cast<double>(i));
        sections.insert(sections.end(), {0.5, -0.4 * turn, 0.3, 1, -1.6 * turn, 0.64});
      }
      const FrameGrid grid{100, 22, 77.3};
      std::vector<double> found(static_cast<std::size_t>(n_filters * grid.n_frames));
      const auto wide = test::noise<float>(n);
      std::vector<double> samples(wide.begin(), wide.end());
      band_energies<double>(SectionGroup(sections, n_sections), samples.data(), n, edge, grid, 2,
                            found.data());
      for (Index f = 0; f < n_filters; ++f) {
        std::vector<double> filtered;
        for (Index i = edge; i > 0; --i)
          filtered.push_back(2 * samples[0] - samples[static_cast<std::size_t>(i)]);
        filtered.insert(filtered.end(), samples.begin(), samples.end());
        for (Index i = 1; i <= edge; ++i)
          filtered.push_back(2 * samples.back() - samples[static_cast<std::size_t>(n - 1 - i)]);
        for (int pass = 0; pass < 2; ++pass) {
          run(sections.data() + f * n_sections * 6, n_sections, filtered);
          std::reverse(filtered.begin(), filtered.end());
        }
        for (Index t = 0; t < grid.n_frames; ++t) {
          double energy = 0;
          const auto start = static_cast<Index>(std::nearbyint(static_cast<double>(t) * grid.hop));
          for (Index i = start; i < std::min(start + grid.length, n); ++i)
            energy += std::pow(filtered[static_cast<std::size_t>(edge + i)], 2);
          EXPECT_NEAR(found[static_cast<std::size_t>(f * grid.n_frames + t)], 2 * energy,
                      1e-11 * (1 + energy))
              << n_sections << " sections, filter " << f << ", frame " << t;
        }
      }
    }
}

// A spline of the third degree is a polynomial of the third degree, if the samples are one's.
TEST(Spline, IsACubicBetweenSamplesOfOne) {
  const auto cubic = [](double x) { return 0.3 * x * x * x - 2 * x * x + x - 4; };
  for (const Index n : {4, 5, 6, 23}) {
    std::vector<double> y, positions;
    for (Index i = 0; i < n; ++i) y.push_back(cubic(static_cast<double>(i)));
    for (double at = 0; at <= static_cast<double>(n - 1); at += 0.125) positions.push_back(at);
    std::vector<double> values(positions.size());
    spline_values(y, positions, values.data());
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_NEAR(values[k], cubic(positions[k]), 1e-11 * std::abs(y.back()) + 1e-11)
          << n << " samples, at " << positions[k];
  }
}

}  // namespace
}  // namespace metalmom::dsp
