#include "dsp/flux.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "dsp/simd/lane_kernels.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index bands = 9, frames = 50;

// The definition, for one frame: positive differences of all bands.
template <class T>
std::vector<T> differences(const FluxSource<T>& s, Index t) {
  std::vector<T> rises;
  for (Index f = 0; f < bands; ++f) {
    T top = -std::numeric_limits<T>::infinity();
    for (Index g = f - s.max_size / 2; g < f - s.max_size / 2 + s.max_size; ++g)
      if (g >= 0 && g < bands) top = std::max(top, s.reference[g * s.stride + t]);
    const T level = s.levels[f * s.stride + t + s.lag];
    rises.push_back(std::max(T(0), std::max(level, s.floor) - std::max(top, s.floor)));
  }
  return rises;
}

template <class T>
T median(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Flux : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Flux, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

template <class T>
void expect_definition(T tolerance) {
  const auto levels = test::noise<T>(bands * frames), other = test::noise<T>(bands * frames, 5);
  for (const Index lag : {1, 3})
    for (const Index max_size : {1, 3, 4, 20})
      for (const T floor : {-std::numeric_limits<T>::infinity(), T(0.1)}) {
        const FluxSource<T> source{levels.data(), other.data(), bands, frames,
                                   lag,           max_size,     floor};
        const Index first = 2, count = frames - lag - first;
        std::vector<T> mean(frames, T(-1)), middle(frames, T(-1)), all(bands * frames);
        flux_block(source, first, count, FluxAggregate::mean, mean.data(), frames);
        flux_block(source, first, count, FluxAggregate::median, middle.data(), frames);
        flux_block(source, first, count, FluxAggregate::none, all.data(), frames);
        for (Index t = 0; t < count; ++t) {
          const auto i = static_cast<std::size_t>(t);
          const std::vector<T> rises = differences(source, first + t);
          T sum = 0;
          for (std::size_t f = 0; f < rises.size(); ++f) {
            ASSERT_EQ(all[f * frames + i], rises[f]);
            sum += rises[f];
          }
          ASSERT_NEAR(mean[i], sum / bands, tolerance);
          ASSERT_EQ(middle[i], median(rises));
        }
        ASSERT_EQ(mean[static_cast<std::size_t>(count)], T(-1)) << "written beyond the block";
      }
}

TEST_P(Flux, EqualsItsDefinition) {
  expect_definition<float>(1e-6f);
  expect_definition<double>(1e-15);
}

TEST_P(Flux, NaNReachesItsFramesAlone) {
  std::vector<float> levels(bands * frames, 1.0f);
  levels[3 * frames + 10] = std::numeric_limits<float>::quiet_NaN();
  const FluxSource<float> source{levels.data(), levels.data(), bands, frames, 1, 1};
  for (const auto aggregate : {FluxAggregate::mean, FluxAggregate::median}) {
    std::vector<float> out(frames - 1);
    flux_block(source, 0, frames - 1, aggregate, out.data(), frames);
    for (std::size_t t = 0; t < out.size(); ++t)
      EXPECT_EQ(std::isnan(out[t]), t == 9 || t == 10) << t;
  }
}

template <class T>
void expect_medians() {
  for (const Index rows : {1, 2, 5, 40, 128}) {
    auto values = test::noise<T>(rows * 48);
    for (T& v : values) v = v < T(-0.2) ? T(0) : std::floor(std::abs(v) * 20) * T(0.3);  // ties
    values[0] = std::numeric_limits<T>::denorm_min();
    values[1] = std::numeric_limits<T>::infinity();
    std::vector<T> out(48);
    simd::lane_kernels<T>().medians(values.data(), rows, 48, 48, out.data());
    for (std::size_t t = 0; t < 48; ++t) {
      std::vector<T> column;
      for (Index r = 0; r < rows; ++r)
        column.push_back(values[static_cast<std::size_t>(r) * 48 + t]);
      ASSERT_EQ(out[t], median(column)) << rows << " rows, column " << t;
    }
  }
}

TEST_P(Flux, MediansEqualSorting) {
  expect_medians<float>();
  expect_medians<double>();
}

TEST(BlockDc, ForgetsAConstant) {
  const std::vector<float> x(2000, 3.0f);
  std::vector<double> y(x.size());
  block_dc(x.data(), 2000, y.data());
  EXPECT_EQ(y[0], 3.0);
  EXPECT_NEAR(y[1], 2.97, 1e-12);
  EXPECT_LT(std::abs(y.back()), 1e-6);
}

}  // namespace
}  // namespace metalmom::dsp
