#include "dsp/fft.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "dsp/library/mixed_radix.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

template <class T>
class Fft : public testing::Test {
 public:
  static constexpr double tolerance = std::is_same_v<T, float> ? 4e-7 : 1e-15;
};
TYPED_TEST_SUITE(Fft, test::Precisions);

const Index sizes[] = {1,   2,   3,   4,   5,   6,   7,   8,    9,    12,  13,
                       16,  17,  30,  31,  32,  60,  64,  100,  101,  127, 128,
                       210, 211, 256, 343, 400, 512, 997, 1000, 1009, 1024};

// Largest error over the largest bin, which for noise is about sqrt(size).
TYPED_TEST(Fft, ForwardIsTheDefinition) {
  for (const Index size : sizes) {
    const auto fft = real_fft<TypeParam>(size);
    const auto x = test::noise<TypeParam>(size, static_cast<std::uint64_t>(size));
    const Buffer<std::complex<TypeParam>> bins(static_cast<std::size_t>(fft->n_bins()));
    fft->forward(x.data(), bins.data());
    const auto expected = test::naive_dft(x.data(), size);
    double error = 0, peak = 0;
    for (std::size_t k = 0; k < bins.size(); ++k) {
      error = std::max(error, std::abs(std::complex<double>(bins[k]) - expected[k]));
      peak = std::max(peak, std::abs(expected[k]));
    }
    EXPECT_LE(error, this->tolerance * peak) << size;
  }
}

TYPED_TEST(Fft, InverseUndoesForward) {
  for (const Index size : sizes) {
    const auto fft = real_fft<TypeParam>(size);
    const auto x = test::noise<TypeParam>(size, static_cast<std::uint64_t>(size));
    const Buffer<std::complex<TypeParam>> bins(static_cast<std::size_t>(fft->n_bins()));
    const Buffer<TypeParam> back(static_cast<std::size_t>(size));
    fft->forward(x.data(), bins.data());
    // Imaginary parts that a real signal cannot have do not count.
    bins[0].imag(3);
    if (size % 2 == 0) bins[bins.size() - 1].imag(3);
    fft->inverse(bins.data(), back.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(back[i], x[i], 4 * this->tolerance) << size << " at " << i;
  }
}

// What builds without FFTW use, in every build.
TYPED_TEST(Fft, MixedRadixIsTheDefinition) {
  for (const Index size :
       {1, 2, 3, 4, 6, 12, 13, 26, 31, 64, 100, 127, 211, 360, 400, 1001, 1009, 2018}) {
    const auto fft = make_mixed_radix_fft<TypeParam>(size);
    const auto x = test::noise<TypeParam>(size, static_cast<std::uint64_t>(size));
    const Buffer<std::complex<TypeParam>> bins(static_cast<std::size_t>(fft->n_bins()));
    const Buffer<TypeParam> back(static_cast<std::size_t>(size));
    fft->forward(x.data(), bins.data());
    const auto expected = test::naive_dft(x.data(), size);
    double error = 0, peak = 0;
    for (std::size_t k = 0; k < bins.size(); ++k) {
      error = std::max(error, std::abs(std::complex<double>(bins[k]) - expected[k]));
      peak = std::max(peak, std::abs(expected[k]));
    }
    EXPECT_LE(error, 2 * this->tolerance * peak) << size;
    bins[0].imag(3);
    if (size % 2 == 0) bins[bins.size() - 1].imag(3);
    fft->inverse(bins.data(), back.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(back[i], x[i], 8 * this->tolerance) << size << " at " << i;
  }
}

TYPED_TEST(Fft, PlansAreSharedAndUsedByManyThreads) {
  EXPECT_EQ(real_fft<TypeParam>(2000), real_fft<TypeParam>(2000));
  const Index size = 2000;
  const auto x = test::noise<TypeParam>(size);
  std::vector<std::vector<std::complex<TypeParam>>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        const auto fft = real_fft<TypeParam>(repeat % 2 ? size : size + 2 * repeat);
        const auto padded = test::noise<TypeParam>(fft->size());
        const Buffer<std::complex<TypeParam>> bins(static_cast<std::size_t>(fft->n_bins()));
        fft->forward(padded.data(), bins.data());
        if (fft->size() == size) result.assign(bins.begin(), bins.end());
      }
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(FftSizes, NextFastSizeHasSmallFactorsOnly) {
  EXPECT_EQ(next_fast_size(1), 1);
  EXPECT_EQ(next_fast_size(7), 8);
  EXPECT_EQ(next_fast_size(11), 12);
  EXPECT_EQ(next_fast_size(121), 125);
  EXPECT_EQ(next_fast_size(1025), 1080);
  EXPECT_EQ(next_fast_size(661501), 663552);
}

TEST(FftSizes, RefusesNothingToTransform) {
  EXPECT_THROW(real_fft<float>(0), ParameterError);
  EXPECT_THROW(real_fft<double>(-4), ParameterError);
}

}  // namespace
}  // namespace metalmom::dsp
