#include "dsp/windows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace metalmom::dsp {
namespace {

std::vector<double> window(WindowShape shape, Index length, bool periodic, double parameter = 0) {
  std::vector<double> samples(static_cast<std::size_t>(length), -1);
  fill_window(shape, parameter, periodic, samples);
  return samples;
}

// The first three of five samples, from scipy.signal.get_window 1.17.
struct Fact {
  WindowShape shape;
  double parameter;
  std::array<double, 3> periodic, symmetric;
};

const Fact facts[] = {
    {WindowShape::barthann, 0, {0, 0.35857354213752, 0.8794264578624801}, {0, 0.5, 1}},
    {WindowShape::bartlett, 0, {0, 0.4, 0.8}, {0, 0.5, 1}},
    {WindowShape::blackman, 0, {0, 0.2007701432625305, 0.8492298567374694}, {0, 0.34, 1}},
    {WindowShape::blackmanharris,
     0,
     {6e-05, 0.10301148934566379, 0.7938335106543363},
     {6e-05, 0.21747, 1}},
    {WindowShape::bohman,
     0,
     {0, 0.1791238937062839, 0.8343114522576858},
     {0, 0.31830988618379075, 1}},
    {WindowShape::boxcar, 0, {1, 1, 1}, {1, 1, 1}},
    {WindowShape::cosine,
     0,
     {0.25881904510252074, 0.7071067811865475, 0.9659258262890682},
     {0.3090169943749474, 0.8090169943749475, 1}},
    {WindowShape::flattop,
     0,
     {-0.000421051, -0.06771425207621193, 0.606872152576212},
     {-0.000421051, -0.05473684, 1.000000003}},
    {WindowShape::gaussian,
     1.5,
     {0.24935220877729622, 0.6065306597126334, 0.9459594689067654},
     {0.41111229050718745, 0.8007374029168081, 1}},
    {WindowShape::hamming, 0, {0.08, 0.3978521825875243, 0.9121478174124759}, {0.08, 0.54, 1}},
    {WindowShape::hann, 0, {0, 0.34549150281252633, 0.9045084971874737}, {0, 0.5, 1}},
    {WindowShape::kaiser,
     8.6,
     {0.0013325139979024198, 0.20105486954533092, 0.8494161890910448},
     {0.0013325139979024198, 0.34039362244018856, 1}},
    {WindowShape::nuttall,
     0,
     {0.0003628, 0.11051525304987181, 0.7982580969501283},
     {0.0003628, 0.2269824, 1}},
    {WindowShape::parzen, 0, {0.009259259259259254, 0.25, 0.8611111111111112}, {0.016, 0.424, 1}},
    {WindowShape::triang,
     0,
     {0.16666666666666666, 0.5, 0.8333333333333334},
     {0.3333333333333333, 0.6666666666666666, 1}},
};

// A few roundings of values up to 1.
constexpr double tolerance = 5e-16;

TEST(Windows, AreScipys) {
  for (const Fact& fact : facts) {
    for (const bool periodic : {true, false}) {
      const auto samples = window(fact.shape, 5, periodic, fact.parameter);
      const auto& expected = periodic ? fact.periodic : fact.symmetric;
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(samples[i], expected[i], tolerance)
            << static_cast<int>(fact.shape) << (periodic ? ", periodic, " : ", symmetric, ") << i;
    }
  }
}

TEST(Windows, ArePeriodicOrSymmetric) {
  for (const Fact& fact : facts) {
    for (const Index length : {2, 7, 64}) {
      const auto longer = window(fact.shape, length + 1, false, fact.parameter);
      const auto periodic = window(fact.shape, length, true, fact.parameter);
      for (std::size_t i = 0; i < periodic.size(); ++i) {
        EXPECT_EQ(periodic[i], longer[i]);
        EXPECT_NEAR(longer[i], longer[longer.size() - 1 - i], tolerance);
      }
    }
  }
}

TEST(Windows, OfOneSampleAreOne) {
  for (const Fact& fact : facts) {
    EXPECT_EQ(window(fact.shape, 1, true, fact.parameter), std::vector{1.0});
    EXPECT_EQ(window(fact.shape, 1, false, fact.parameter), std::vector{1.0});
    EXPECT_TRUE(window(fact.shape, 0, true, fact.parameter).empty());
  }
}

TEST(Windows, HaveScipysNames) {
  EXPECT_EQ(window_shape("hann"), WindowShape::hann);
  EXPECT_EQ(window_shape("han"), WindowShape::hann);
  EXPECT_EQ(window_shape("rect"), WindowShape::boxcar);
  EXPECT_EQ(window_shape("triangle"), WindowShape::triang);
  EXPECT_EQ(window_shape("hanning"), std::nullopt);
  EXPECT_EQ(window_shape(""), std::nullopt);
  EXPECT_TRUE(has_parameter(WindowShape::kaiser));
  EXPECT_FALSE(has_parameter(WindowShape::hann));
}

// I0(beta) leaves a double's range above 713; the ratio of two of them does not.
TEST(Windows, KaiserOfALargeBetaIsFinite) {
  const auto samples = window(WindowShape::kaiser, 101, false, 2000);
  for (const double sample : samples) EXPECT_TRUE(sample >= 0 && sample <= 1) << sample;
  EXPECT_EQ(samples[50], 1);
  // Far from both ends the ratio of two exp(x) / sqrt(2 pi x).
  const double x = std::sqrt(1 - 0.04);
  EXPECT_NEAR(samples[40], std::exp(2000 * (x - 1)) / std::sqrt(x), 1e-20);
}

template <class T>
class WindowSums : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(WindowSums, Precisions);

TYPED_TEST(WindowSums, AddUpAndEndWithTheOutput) {
  const std::vector<double> squared = {1, 2, 3};
  std::vector<TypeParam> sums(6, 10);
  add_windows<TypeParam>(squared, 10, 2, sums);
  EXPECT_EQ(sums, (std::vector<TypeParam>{11, 12, 14, 12, 14, 12}));
  add_windows<TypeParam>(squared, 0, 2, sums);
  EXPECT_EQ(sums[0], TypeParam(11));
}

TYPED_TEST(WindowSums, OfHannWithHalfOverlapAreConstantSquared) {
  auto squared = window(WindowShape::hann, 64, true);
  for (double& sample : squared) sample *= sample;
  std::vector<TypeParam> sums(64 * 4, 0);
  add_windows<TypeParam>(squared, 20, 16, sums);
  for (std::size_t i = 48; i < 200; ++i) EXPECT_NEAR(sums[i], 1.5, 1e-6);
}

}  // namespace
}  // namespace metalmom::dsp
