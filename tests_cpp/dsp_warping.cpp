#include "dsp/warping.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr WarpStep classic[] = {{1, 1, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}};
constexpr WarpStep knights[] = {{1, 1, 2, 0}, {1, 2, 1, 0.5}, {2, 1, 1, 0.5}, {0, 3, 1, 1}};

class Warping : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Warping, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// The definition, cell by cell.
std::vector<double> naive_totals(const double* cost, Index n_rows, Index n_cols,
                                 const WarpRule& rule) {
  std::vector<double> total(static_cast<std::size_t>(n_rows * n_cols), infinity);
  for (Index n = 0; n < n_rows; ++n)
    for (Index m = 0; m < n_cols; ++m) {
      const bool inside = m - n > rule.lower && m - n < rule.upper;
      const double here = inside ? cost[n * n_cols + m] : infinity;
      double& best = total[static_cast<std::size_t>(n * n_cols + m)];
      if (n == 0 && (m == 0 || rule.subsequence)) best = here;
      for (const WarpStep& step : rule.steps)
        if (step.rows <= n && step.cols <= m)
          best = std::min(
              best, total[static_cast<std::size_t>((n - step.rows) * n_cols + m - step.cols)] +
                        (step.weight * here + step.penalty));
    }
  return total;
}

TEST_P(Warping, TotalsAreThoseOfTheDefinition) {
  for (const Index n_rows : {1, 3, 7, 8, 9, 16, 21})
    for (const Index n_cols : {1, 2, 7, 8, 30}) {
      const auto cost = test::noise<double>(n_rows * n_cols, 7);
      for (const bool subsequence : {false, true})
        for (const Index radius : {3, 1000})
          for (const auto& steps : {std::span<const WarpStep>(classic), {knights}}) {
            const WarpRule rule{steps, subsequence, -radius, radius};
            const auto expected = naive_totals(cost.data(), n_rows, n_cols, rule);
            std::vector<double> total(expected.size());
            accumulate_costs({cost.data(), n_rows, n_cols}, rule, 0, nullptr, total.data());
            EXPECT_EQ(total, expected) << n_rows << " x " << n_cols;
          }
    }
}

TEST_P(Warping, BandsOfRowsAreTheWhole) {
  const Index n_rows = 40, n_cols = 33, n_features = 5;
  const auto x = test::noise<double>(n_rows * n_features, 1);
  const auto y = test::noise<double>(n_cols * n_features, 2);
  const Frames frames{x.data(), n_rows, n_features}, others{y.data(), n_cols, n_features};
  for (const auto& steps : {std::span<const WarpStep>(classic), {knights}}) {
    const WarpRule rule{steps, true, -30, 30};
    const WarpCosts costs(Metric::euclidean, frames, others);
    std::vector<double> whole(static_cast<std::size_t>(n_rows * n_cols)), banded(whole);
    accumulate_costs(costs, rule, 0, nullptr, whole.data());
    const Index reach = rule.reach_rows();
    for (Index first = 0; first < n_rows; first += 10) {
      const WarpCosts part(Metric::euclidean, frames.slice(first, 10), others);
      accumulate_costs(part, rule, first,
                       banded.data() + std::max<Index>(0, first - reach) * n_cols,
                       banded.data() + first * n_cols);
    }
    EXPECT_EQ(banded, whole);
    // A path that is followed in two parts is the path.
    std::vector<Index> path(static_cast<std::size_t>(2 * (n_rows + n_cols))), lower(path);
    const Index length = warp_path(costs, rule, 0, whole.data(), n_cols - 1, path.data());
    const Index top = 20;
    const WarpCosts below(Metric::euclidean, frames.slice(top, n_rows - top), others);
    const Index n_below =
        warp_path(below, rule, top, whole.data() + top * n_cols, n_cols - 1, lower.data());
    ASSERT_LT(n_below, length);
    for (Index i = 0; i < n_below; ++i) {
      EXPECT_EQ(lower[static_cast<std::size_t>(2 * i)] + top,
                path[static_cast<std::size_t>(2 * i)]);
      EXPECT_EQ(lower[static_cast<std::size_t>(2 * i + 1)],
                path[static_cast<std::size_t>(2 * i + 1)]);
    }
    EXPECT_LT(lower[static_cast<std::size_t>(2 * n_below - 2)], reach);
  }
}

TEST_P(Warping, DistancesInLanesAreThoseOfScalars) {
  const Index n = 37, n_points = 6;
  for (const Index n_features : {1, 12, 40})
    for (const auto metric : {Metric::euclidean, Metric::sqeuclidean, Metric::cityblock,
                              Metric::chebyshev, Metric::cosine}) {
      const auto x = test::noise<double>(n_points * n_features, 3);
      const auto y = test::noise<double>(n * n_features, 4);
      const Frames points{x.data(), n_points, n_features}, others{y.data(), n, n_features};
      const PackedFrames packed(others);
      const auto x_norms = norms(points, false);
      std::vector<double> out(static_cast<std::size_t>(n_points * packed.stride()));
      packed.distances(metric, points, x_norms.data(), 0, packed.stride() / PackedFrames::lanes,
                       out.data(), packed.stride());
      for (Index i = 0; i < n_points; ++i)
        for (Index j = 0; j < n; ++j)
          ASSERT_EQ(out[static_cast<std::size_t>(i * packed.stride() + j)],
                    distance(metric, points.frame(i), x_norms.data()[i], others.frame(j),
                             packed.norms()[j], n_features));
    }
}

TEST(WarpingErrors, ACostThatIsNotANumberIsRefused) {
  const std::array<double, 4> cost = {1, 2, std::nan(""), 0};
  std::array<double, 4> total{};
  EXPECT_THROW(accumulate_costs({cost.data(), 2, 2}, {classic}, 0, nullptr, total.data()),
               ParameterError);
}

}  // namespace
}  // namespace metalmom::dsp
