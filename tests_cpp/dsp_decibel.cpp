#include "dsp/decibel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

class Levels : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Levels, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// Over all magnitudes of T, of which subnormal ones count as the least normal one, in blocks whose
// ends are not whole vectors.
template <class T>
void expect_ten_logarithms(double near, double relative) {
  constexpr auto least = std::numeric_limits<T>::min();
  std::vector<T> in;
  for (T x = least / 8; x < std::numeric_limits<T>::max() / 2; x *= T(1.0173)) in.push_back(x);
  for (const std::size_t count : {in.size(), std::size_t(1), std::size_t(16), std::size_t(35)}) {
    std::vector<T> out(count + 1, 7);
    const T largest = to_decibel(in.data(), static_cast<Index>(count),
                                 DecibelScale<T>{least / 8, 2.0, false}, out.data());
    T expected_largest = -std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      const long double expected = 10 * std::log10(std::max(in[i], least) / 2.0L);
      ASSERT_NEAR(out[i], expected, near + relative * std::abs(expected)) << in[i];
      expected_largest = std::max(expected_largest, out[i]);
    }
    EXPECT_EQ(largest, expected_largest);
    EXPECT_EQ(out[count], 7) << "written beyond the end";
  }
}

TEST_P(Levels, AreTenLogarithms) {
  expect_ten_logarithms<float>(1e-6, 4e-7);
  expect_ten_logarithms<double>(2e-15, 6e-16);
}

TEST_P(Levels, SquareAmplitudesAndRaiseSmallOnes) {
  const float in[] = {0.0f, 1e-7f, 0.1f, -10.0f};
  float out[4];
  const float largest = to_decibel(in, 4, DecibelScale<float>{1e-10f, 1.0f, true}, out);
  const float expected[] = {-100, -100, -20, 20};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-5f);
  EXPECT_NEAR(largest, 20, 1e-5f);
}

TEST_P(Levels, OfReferencesThatFloatDoesNotHold) {
  for (const double ref : {1e-60, 1e-42, 1e60}) {
    const float x = 100.0f;
    float out = 7.0f;
    to_decibel(&x, 1, DecibelScale<float>{1e-10f, ref, false}, &out);
    EXPECT_FLOAT_EQ(out, static_cast<float>(20 - 10 * std::log10(ref)));
  }
}

template <class T>
void expect_zero_of_the_reference() {
  for (T x = T(1e-9); x < 1e9; x *= T(1.37)) {
    T out = 7;
    to_decibel(&x, 1, DecibelScale<T>{T(1e-10), x, false}, &out);
    EXPECT_EQ(out, 0) << x;
  }
}

TEST_P(Levels, OfTheReferenceAreZero) {
  expect_zero_of_the_reference<float>();
  expect_zero_of_the_reference<double>();
}

template <class T>
void expect_nan_to_stay() {
  for (const std::size_t at : {std::size_t(0), std::size_t(5), std::size_t(20), std::size_t(39)}) {
    std::vector<T> in(40, 2), out(40);
    in[at] = std::numeric_limits<T>::quiet_NaN();
    in[(at + 7) % 40] = T(1e6);
    in[(at + 9) % 40] = std::numeric_limits<T>::infinity();
    EXPECT_TRUE(std::isnan(to_decibel(in.data(), 40, DecibelScale<T>{}, out.data())));
    EXPECT_TRUE(std::isnan(out[at]));
    EXPECT_NEAR(out[(at + 7) % 40], 60, 1e-4);
    EXPECT_EQ(out[(at + 9) % 40], std::numeric_limits<T>::infinity());
  }
}

TEST_P(Levels, KeepNaN) {
  expect_nan_to_stay<float>();
  expect_nan_to_stay<double>();
}

TEST(Largest, IsFoundWhereverItIs) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t count : {1u, 31u, 32u, 33u, 101u})
    for (std::size_t at = 0; at < count; ++at) {
      std::vector<float> values(count, -2.0f);
      values[at] = -1.0f;
      EXPECT_EQ(largest_of(values.data(), static_cast<Index>(count)), -1.0f);
      values[at] = nan;
      EXPECT_TRUE(std::isnan(largest_of(values.data(), static_cast<Index>(count))));
    }
}

}  // namespace
}  // namespace metalmom::dsp
