// Products of spectra of blocks are convolutions of the blocks, with every instruction set that
// this machine has.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "dsp/block_transform.hpp"
#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

using simd::group_values;

class Blocks : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Blocks, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// A sample of the convolution of two blocks, from its definition.
template <class T>
double product_at(const Buffer<T>& x, const Buffer<T>& h, Index place) {
  const auto size = static_cast<Index>(x.size());
  double sum = 0;
  for (Index i = std::max<Index>(place - size + 1, 0); i <= std::min(place, size - 1); ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(h[place - i]);
  return sum;
}

template <class T>
void expect_products(double tolerance) {
  for (Index size = 64; size <= 32768; size *= 2) {
    const BlockTransform<T> transform(size);
    const Index n_values = 2 * size, stride = 3 * group_values;
    const auto x = test::noise<T>(size), h = test::noise<T>(size, 5);
    const Buffer<T> work(n_values), a(transform.n_groups() * stride), b(n_values), out(n_values);
    out.zero();
    // Part by part, into every third group, as into a ring of three blocks.
    for (Index part = 0; part < transform.n_parts(); ++part)
      transform.forward_part(part, x.data(), work.data(), a.data() + group_values, stride);
    transform.forward(h.data(), work.data(), b.data(), group_values);
    for (Index g = 0; g < transform.n_groups(); ++g)
      simd::partition_kernels<T>().multiply_ring(a.data() + g * stride + group_values,
                                                 b.data() + g * group_values, 1, 0, 1,
                                                 b.data() + g * group_values);
    transform.add_inverse(b.data(), group_values, work.data(), out.data(), out.data() + size);
    const double scale = std::sqrt(static_cast<double>(size));
    for (Index place = 0; place < n_values - 1; place += 1 + size / 60)
      EXPECT_NEAR(out[place], product_at(x, h, place), tolerance * scale) << size << " " << place;
  }
}

TEST_P(Blocks, ProductsAreConvolutions) {
  expect_products<float>(2e-6);
  expect_products<double>(4e-15);
}

// A group filtered along time, its spectra apart from one another, in their own place.
template <class T>
void expect_sums_over_time(double tolerance) {
  constexpr Index n_taps = 21, n_times = 37, stride = 5 * group_values;
  const auto h = test::noise<T>(n_taps * group_values), x = test::noise<T>(n_times * stride, 3);
  const Buffer<T> y(x.size());
  std::copy(x.begin(), x.end(), y.begin());
  simd::partition_kernels<T>().multiply_times(h.data(), n_taps, n_times, y.data(), stride);
  for (Index t = 0; t < n_times; ++t)
    for (Index bin = 0; bin < simd::group_bins; ++bin) {
      double re = t < n_taps - 1 ? x[t * stride + bin] : 0;
      double im = t < n_taps - 1 ? x[t * stride + bin + simd::group_bins] : 0;
      for (Index k = 0; t >= n_taps - 1 && k < n_taps; ++k) {
        const T* const a = x.data() + (t - k) * stride + bin;
        const T* const b = h.data() + k * group_values + bin;
        const double ar = a[0], ai = a[simd::group_bins], br = b[0], bi = b[simd::group_bins];
        re += ar * br - ai * bi;
        im += ar * bi + ai * br;
      }
      EXPECT_NEAR(y[t * stride + bin], re, tolerance) << t;
      EXPECT_NEAR(y[t * stride + bin + simd::group_bins], im, tolerance) << t;
    }
}

TEST_P(Blocks, SumsOverTimeTakeTheirPlace) {
  expect_sums_over_time<float>(1e-5);
  expect_sums_over_time<double>(1e-13);
}

}  // namespace
}  // namespace metalmom::dsp
