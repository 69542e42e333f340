// Medians and masks of hpss on every instruction set, against medians by sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "dsp/hpss.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Medians : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Simd, Medians, testing::ValuesIn(simd::available()),
                         [](const auto& each) { return std::string(each.param); });

template <class T>
T rank_of(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Values with many ties, zeros and both signs, as quantised spectra have them.
template <class T>
Buffer<T> levels(Index n) {
  auto values = test::noise<T>(n);
  for (T& each : values) each = std::round(each * T(8));
  return values;
}

template <class T>
void expect_cross_medians(Index n_rows, Index n_cols, Index row_size, Index column_size) {
  const auto S = levels<T>(n_rows * n_cols);
  CrossMedians<T> medians(n_rows, n_cols, row_size, column_size, false);
  for (Index first = 0; first < n_rows; first += 16) {
    const Index count = std::min<Index>(16, n_rows - first);
    medians.advance(first, count, [&](Index row, T* magnitudes, T*) {
      std::copy_n(S.data() + row * n_cols, n_cols, magnitudes);
    });
    for (Index i = 0; i < count; ++i)
      for (Index col = 0; col < n_cols; ++col) {
        std::vector<T> down, across;
        for (Index k = 0; k < row_size; ++k)
          down.push_back(S.data()[reflected(first + i + k - row_size / 2, n_rows) * n_cols + col]);
        for (Index k = 0; k < column_size; ++k)
          across.push_back(
              S.data()[(first + i) * n_cols + reflected(col + k - column_size / 2, n_cols)]);
        ASSERT_EQ(medians.down_rows(i)[col], rank_of(down)) << "row " << first + i << " " << col;
        ASSERT_EQ(medians.across_columns(i)[col], rank_of(across)) << first + i << " " << col;
      }
  }
}

TEST_P(Medians, EqualThoseBySorting) {
  for (const Index size : {1, 2, 3, 12, 30, 31, 32, 63})
    for (const auto& [rows, cols] : {std::pair<Index, Index>{40, 33}, {16, 16}, {7, 50}, {65, 5}}) {
      SCOPED_TRACE(std::to_string(size) + " of " + std::to_string(rows) + " x " +
                   std::to_string(cols));
      expect_cross_medians<float>(rows, cols, size, 31);
      expect_cross_medians<double>(rows, cols, 31, size);
    }
}

// Windows longer than the axis read it over and over.
TEST_P(Medians, OfShortAxes) {
  expect_cross_medians<float>(1, 1, 31, 31);
  expect_cross_medians<float>(3, 2, 31, 8);
  expect_cross_medians<double>(2, 3, 101, 31);
}

TEST_P(Medians, DoNotDependOnWhereTheWalkBegan) {
  const Index n_rows = 70, n_cols = 20;
  const auto S = levels<float>(n_rows * n_cols);
  const auto fill = [&](Index row, float* magnitudes, float*) {
    std::copy_n(S.data() + row * n_cols, n_cols, magnitudes);
  };
  CrossMedians<float> whole(n_rows, n_cols, 31, 9, false), late(n_rows, n_cols, 31, 9, false);
  for (const Index first : {0, 16, 32}) whole.advance(first, 16, fill);
  late.advance(32, 16, fill);
  for (Index i = 0; i < 16; ++i)
    for (Index col = 0; col < n_cols; ++col) {
      EXPECT_EQ(whole.down_rows(i)[col], late.down_rows(i)[col]);
      EXPECT_EQ(whole.across_columns(i)[col], late.across_columns(i)[col]);
    }
}

TEST(Reflected, RepeatsTheEdge) {
  const Index expected[] = {2, 1, 0, 0, 1, 2, 2, 1, 0, 0};
  for (Index i = -3; i < 7; ++i) EXPECT_EQ(reflected(i, 3), expected[i + 3]) << i;
  EXPECT_EQ(reflected(-5, 1), 0);
}

template <class T>
void expect_masks(const HpssParams& params, T silent) {
  const Index n = 67;
  auto harmonic = test::noise<T>(n), percussive = test::noise<T>(n, 7);
  for (T& each : harmonic) each = std::abs(each);
  for (T& each : percussive) each = std::abs(each);
  harmonic[3] = percussive[3] = 0;
  harmonic[4] = percussive[4] = std::numeric_limits<T>::denorm_min();
  percussive[5] = 0;
  harmonic[6] = T(1e-30), percussive[6] = T(3e-30);  // whose squares are no floats
  std::vector<T> mask_h(n), mask_p(n);
  hpss_masks(params, harmonic.data(), percussive.data(), n, mask_h.data(), mask_p.data());
  const auto expected = [&](double own, double other) -> double {
    if (std::isinf(params.power)) return own > other ? 1 : 0;
    if (std::max(own, other) < std::numeric_limits<T>::min()) return silent;
    return 1 / (1 + std::pow(other / own, params.power));
  };
  const double tolerance = 8 * std::numeric_limits<T>::epsilon();
  for (Index i = 0; i < n; ++i) {
    EXPECT_NEAR(mask_h[i], expected(harmonic[i], percussive[i] * params.margin_harmonic), tolerance)
        << i;
    EXPECT_NEAR(mask_p[i], expected(percussive[i], harmonic[i] * params.margin_percussive),
                tolerance)
        << i;
  }
}

TEST_P(Medians, MakeMasks) {
  for (const double power : {1.0, 2.0, 0.5, 3.0, std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(power);
    expect_masks<float>({.power = power}, 0.5f);
    expect_masks<double>({.power = power}, 0.5);
    expect_masks<float>({.power = power, .margin_harmonic = 2, .margin_percussive = 3}, 0);
    expect_masks<double>({.power = power, .margin_percussive = 1.5}, 0);
  }
}

TEST_P(Medians, TakeMagnitudesWithoutUnderflow) {
  const float pairs[] = {3, -4, 3e-30f, 4e-30f, 0, 0, 3e30f, 4e30f};
  float magnitudes[4];
  pair_magnitudes(pairs, 4, magnitudes);
  const float expected[] = {5, 5e-30f, 0, 5e30f};
  for (int i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(magnitudes[i], expected[i]);
  const float factors[] = {2, 0, 1, 0.5f};
  float scaled[8];
  scale_pairs(pairs, factors, 4, scaled);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(scaled[i], pairs[i] * factors[i / 2]);
}

}  // namespace
}  // namespace metalmom::dsp
