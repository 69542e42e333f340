#include "dsp/autocorrelation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

using test::noise;

template <class T>
double lag(const T* x, const double* window, Index length, Index k) {
  long double sum = 0;
  for (Index i = 0; i + k < length; ++i) {
    const long double a = window ? window[i] : 1, b = window ? window[i + k] : 1;
    sum += a * static_cast<long double>(x[i]) * b * static_cast<long double>(x[i + k]);
  }
  return static_cast<double>(sum);
}

template <class T>
void expect_lags(double tolerance) {
  for (const Index n : {1, 2, 3, 7, 64, 383, 1000}) {
    const auto y = noise<T>(n);
    for (const Index n_lags : {Index(1), (n + 1) / 2, n}) {
      std::vector<T> lags(static_cast<std::size_t>(n_lags));
      autocorrelate<T>(y.span(), lags);
      const double power = lag(y.data(), nullptr, n, 0);
      for (Index k = 0; k < n_lags; ++k)
        ASSERT_NEAR(lags[static_cast<std::size_t>(k)], lag(y.data(), nullptr, n, k),
                    tolerance * power)
            << n << " samples, lag " << k;
    }
  }
}

TEST(Autocorrelation, EqualsItsDefinition) {
  expect_lags<float>(1e-6);
  expect_lags<double>(1e-14);
}

class LocalAutocorrelations : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, LocalAutocorrelations, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// Lengths around those that change the transform: powers of two, three times these, one more.
TEST_P(LocalAutocorrelations, EqualTheirDefinition) {
  for (const Index length : {1, 2, 3, 4, 5, 6, 7, 12, 13, 16, 17, 96, 97, 384, 385}) {
    const LocalAutocorrelation local(length);
    ASSERT_GE(local.window_size(), length);
    const auto x = noise<double>(local.reach());
    std::vector<double> window = test::hann(length);
    if (length == 1) window[0] = 1;
    window.resize(static_cast<std::size_t>(local.window_size()), 0.0);
    for (const Index count : {1, 3, 4, 63, 64}) {
      const Index stride = 70;
      std::vector<double> out(static_cast<std::size_t>(length * stride), -7.0);
      local.block(x.data(), window.data(), count, out.data(), stride);
      for (Index k = 0; k < length; ++k)
        for (Index t = 0; t < stride; ++t) {
          const double got = out[static_cast<std::size_t>(k * stride + t)];
          if (t >= count)
            ASSERT_EQ(got, -7.0) << "written beyond the block";
          else
            ASSERT_NEAR(got, lag(x.data() + t, window.data(), length, k),
                        1e-14 * lag(x.data() + t, window.data(), length, 0))
                << "length " << length << ", lag " << k << ", frame " << t;
        }
    }
  }
}

TEST_P(LocalAutocorrelations, SumsAreOfScaledFrames) {
  for (const Index length : {1, 2, 5, 6, 17, 96, 97, 384}) {
    const LocalAutocorrelation local(length);
    const auto x = noise<double>(local.reach());
    std::fill_n(x.data(), length + 1, 0.0);  // two silent frames
    std::vector<double> window = test::hann(length);
    if (length == 1) window[0] = 1;
    window.resize(static_cast<std::size_t>(local.window_size()), 0.0);
    for (const Index count : {1, 3, 4, 63, 64}) {
      std::vector<double> sum(static_cast<std::size_t>(length + 1), -7.0);
      local.scaled_sum(x.data(), window.data(), count, sum.data());
      for (Index k = 0; k < length; ++k) {
        double expected = 0;
        for (Index t = 0; t < count; ++t)
          if (const double peak = lag(x.data() + t, window.data(), length, 0); peak > 0)
            expected += lag(x.data() + t, window.data(), length, k) / peak;
        ASSERT_NEAR(sum[static_cast<std::size_t>(k)], expected, 1e-13 * static_cast<double>(count))
            << "length " << length << ", lag " << k << ", " << count << " frames";
      }
      ASSERT_EQ(sum.back(), -7.0) << "written beyond the lags";
    }
  }
}

// A loud frame beside them must leave no trace in frames of silence.
TEST_P(LocalAutocorrelations, SilentFramesAreExactlyZero) {
  const Index length = 8;
  const LocalAutocorrelation local(length);
  const Buffer<double> x(static_cast<std::size_t>(local.reach()));
  x.zero();
  x[0] = 1e30;
  std::vector<double> window(static_cast<std::size_t>(local.window_size()), 0.0);
  std::fill_n(window.begin(), length, 1.0);
  std::vector<double> out(static_cast<std::size_t>(length * 8));
  local.block(x.data(), window.data(), 8, out.data(), 8);
  EXPECT_NEAR(out[0], 1e60, 1e46);
  for (Index k = 0; k < length; ++k)
    for (Index t = 1; t < 8; ++t) ASSERT_EQ(out[static_cast<std::size_t>(k * 8 + t)], 0.0);
}

TEST_P(LocalAutocorrelations, ColumnsAreScaledToTheirNorm) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> columns = {3, 0, 1e-310, -4, 0, 0, 0, 0, 0};  // three rows
  const auto scaled = [&](double norm) {
    std::vector<double> values = columns;
    normalize_columns(values.data(), 3, 3, 3, norm);
    return values;
  };
  EXPECT_EQ(scaled(infinity), (std::vector<double>{0.75, 0, 1e-310, -1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(scaled(-infinity), columns);  // the smallest magnitude is zero
  EXPECT_EQ(scaled(0), (std::vector<double>{1.5, 0, 1e-310, -2, 0, 0, 0, 0, 0}));
  EXPECT_NEAR(scaled(1)[3], -4.0 / 7, 1e-15);
  EXPECT_NEAR(scaled(2)[0], 0.6, 1e-15);
}

}  // namespace
}  // namespace metalmom::dsp
