// Every instruction set that this machine has, against FFTW or the definition.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dsp/bands.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/library/library_fft.hpp"
#include "dsp/simd/fft_table.hpp"
#include "dsp/simd/select.hpp"
#include "dsp/tuning.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Simd : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Simd, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// The name comes from the macros that the compiler set for that copy of the kernels.
TEST_P(Simd, TheForcedSetRuns) {
  EXPECT_EQ(GetParam(), simd::kernels().compiled_for);
  EXPECT_GT((simd::frame_kernels<float, float>(simd::kernels(), 2048).width), 0);
}

TEST(SimdSelection, NamesWhatThisProcessorHas) {
  try {
    simd::select("mmx");
    FAIL() << "an unknown set was taken";
  } catch (const ParameterError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("METALMOM_SIMD='mmx' must be"), std::string::npos) << text;
    EXPECT_NE(text.find("'baseline'"), std::string::npos) << text;
  }
}

// Spectra against the library's, relative to the largest bin.
template <class T, class S>
void expect_library_spectra(double tolerance) {
  for (Index n_fft = 256; n_fft <= 16384; n_fft *= 2) {
    const auto window = test::hann(n_fft);
    const FrameTransform<T> transform(n_fft, window);
    const auto y = test::noise<S>(n_fft);
    const Buffer<double> windowed(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) windowed[i] = window[i] * static_cast<double>(y[i]);
    const auto n_bins = static_cast<std::size_t>(transform.n_bins());
    const Buffer<std::complex<double>> expected(n_bins);
    make_library_fft<double>(n_fft)->forward(windowed.data(), expected.data());
    double peak = 0;
    for (const auto& bin : expected) peak = std::max(peak, std::abs(bin));

    std::vector<std::complex<S>> bins(n_bins);
    transform.spectra_of(y.data(), n_fft, 1, bins.data());
    const Buffer<S> lanes(n_bins * block_frames);
    const FrameSource<S> source{y.data(), n_fft, 1, n_fft, 0, PadMode::constant};
    transform.power_block(source, 0, 1, 2, lanes.data());
    for (std::size_t k = 0; k < n_bins; ++k) {
      ASSERT_LE(std::abs(std::complex<double>(bins[k]) - expected[k]), tolerance * peak)
          << n_fft << " bin " << k;
      ASSERT_NEAR(lanes[k * block_frames], std::norm(expected[k]), 3 * tolerance * peak * peak)
          << n_fft << " bin " << k;
    }

    // Back: the inverse windows once more.
    std::vector<S> back(y.size(), S(0));
    transform.overlap_add(bins.data(), 0, n_fft, back.data());
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(back[i], window[i] * windowed[i], 8 * tolerance) << n_fft << " sample " << i;
  }
}

TEST_P(Simd, FloatSpectra) {
  expect_library_spectra<float, float>(3e-7);
}
TEST_P(Simd, DoubleSpectra) {
  expect_library_spectra<double, double>(1e-15);
}
TEST_P(Simd, FloatSpectraInDouble) {
  expect_library_spectra<double, float>(6e-8);
}

// Sizes without kernels of their own: every radix, the definition's blocks of three and its rest,
// pairs of samples and odd sizes; and two that are left to the library.
template <class T, class S>
void expect_library_spectra_of_other_sizes(double tolerance) {
  for (const Index n_fft : {2,   3,   4,   9,   10,  16,  25,   49,   60,   122,  128,
                            143, 300, 320, 400, 437, 551, 1102, 2205, 4410, 2053, 5000}) {
    const auto window = test::hann(n_fft);
    const FrameTransform<T> transform(n_fft, window);
    const auto fft = make_library_fft<double>(n_fft);
    const Index hop = n_fft / 3 + 1, n_frames = 19, length = hop * (n_frames - 1);
    const auto y = test::noise<S>(length);
    const FrameSource<S> source{y.data(), length, hop, n_fft, n_fft / 2, PadMode::constant};
    const Index n_bins = transform.n_bins();
    std::vector<std::complex<S>> bins(static_cast<std::size_t>(n_bins * n_frames)), alone(bins);
    transform.spectra(source, 0, n_frames, bins.data());
    transform.spectra(source, 7, 1, alone.data());
    EXPECT_TRUE(std::equal(alone.begin(), alone.begin() + n_bins, bins.begin() + 7 * n_bins))
        << n_fft << ": a frame depends on its neighbours";
    const Buffer<S> lanes(static_cast<std::size_t>(n_bins * block_frames));
    transform.power_block(source, block_frames, n_frames - block_frames, 2, lanes.data());
    for (Index frame = 0; frame < n_frames; ++frame) {
      const Buffer<double> windowed(static_cast<std::size_t>(n_fft));
      for (Index i = 0; i < n_fft; ++i) {
        const Index at = frame * hop - n_fft / 2 + i;
        const bool inside = at >= 0 && at < length;
        windowed.data()[i] =
            inside ? window[static_cast<std::size_t>(i)] * static_cast<double>(y.data()[at]) : 0;
      }
      const Buffer<std::complex<double>> expected(static_cast<std::size_t>(n_bins));
      fft->forward(windowed.data(), expected.data());
      double peak = 0;
      for (Index k = 0; k < n_bins; ++k) peak = std::max(peak, std::abs(expected.data()[k]));
      for (Index k = 0; k < n_bins; ++k) {
        const std::complex<double> exact = expected.data()[k];
        const auto bin =
            static_cast<std::complex<double>>(bins[static_cast<std::size_t>(frame * n_bins + k)]);
        ASSERT_LE(std::abs(bin - exact), tolerance * peak)
            << n_fft << " frame " << frame << " bin " << k;
        if (frame < block_frames) continue;
        ASSERT_NEAR(lanes.data()[k * block_frames + frame - block_frames], std::norm(exact),
                    3 * tolerance * peak * peak)
            << n_fft << " frame " << frame << " bin " << k;
      }
    }
    // Back: frame by frame what all of them give at once, cut at both ends.
    if constexpr (std::is_same_v<T, S>) {
      std::vector<T> sum(y.size(), T(0)), one(y.size(), T(0));
      transform.overlap_add(bins.data(), n_frames, -(n_fft / 2), hop, length, sum.data());
      double peak = 0;
      for (Index frame = 0; frame < n_frames; ++frame) {
        const Buffer<std::complex<double>> copy(static_cast<std::size_t>(n_bins));
        std::copy_n(bins.data() + frame * n_bins, n_bins, copy.data());
        const Buffer<double> samples(static_cast<std::size_t>(n_fft));
        fft->inverse(copy.data(), samples.data());
        for (Index i = 0; i < n_fft; ++i) {
          const Index at = frame * hop - n_fft / 2 + i;
          if (at < 0 || at >= length) continue;
          const double value = samples.data()[i] * window[static_cast<std::size_t>(i)];
          one[static_cast<std::size_t>(at)] += static_cast<T>(value);
          peak = std::max(peak, std::abs(value));
        }
      }
      for (std::size_t i = 0; i < sum.size(); ++i)
        ASSERT_NEAR(sum[i], one[i], 2 * tolerance * peak) << n_fft << " sample " << i;
    }
    for (Index k = 0; k < n_bins; ++k)
      for (Index lane = n_frames - block_frames; lane < block_frames; ++lane)
        ASSERT_EQ(lanes.data()[k * block_frames + lane], S(0)) << n_fft << " lane " << lane;
  }
}

TEST_P(Simd, FloatSpectraOfOtherSizes) {
  expect_library_spectra_of_other_sizes<float, float>(6e-7);  // a radix of 61 sums 60 products
}
TEST_P(Simd, DoubleSpectraOfOtherSizes) {
  expect_library_spectra_of_other_sizes<double, double>(1e-15);
}
TEST_P(Simd, FloatSpectraOfOtherSizesInDouble) {
  expect_library_spectra_of_other_sizes<double, float>(6e-8);
}

TEST(MixedRadix, DeclinesLargeFactorsAndLongFrames) {
  for (const Index size : {400, 551, 1102, 2205, 4410, 2 * 61}) {
    const auto table = simd::mixed_table<double>(size);
    ASSERT_TRUE(table) << size;
    Index points = 1;
    for (const auto& pass : table->passes) points *= pass.radix;
    EXPECT_EQ(points, size % 2 ? size : size / 2);
  }
  for (const Index size : {1, 2, 67, 2053, 5000}) EXPECT_FALSE(simd::mixed_table<double>(size));
}

template <class T>
void expect_products(double tolerance) {
  // Dense groups of every size that the register blocking has, and a basis of overlapping ramps.
  for (Index n_bands = 2; n_bands <= 26; ++n_bands)
    for (const bool dense : {true, false}) {
      const Index n_bins = 261;
      auto matrix = test::noise<double>(n_bands * n_bins);
      for (Index i = 0; i < n_bands * n_bins && !dense; ++i) {
        const Index band = i / n_bins, bin = i % n_bins, width = n_bins / (n_bands + 1);
        if (bin < band * width || bin >= (band + 2) * width) matrix.data()[i] = 0;
      }
      const Basis basis(matrix.data(), n_bands, n_bins);
      ASSERT_EQ(basis.structure(),
                dense && n_bands > 2 ? Basis::Structure::dense : Basis::Structure::overlapping);
      const auto lanes = test::noise<T>(n_bins * block_frames, 5);
      std::vector<T> out(static_cast<std::size_t>(n_bands * 17));
      apply_bands(basis, lanes.data(), block_frames, out.data(), Index(17));
      for (Index band = 0; band < n_bands; ++band)
        for (Index i = 0; i < block_frames; ++i) {
          double expected = 0;
          for (Index bin = 0; bin < n_bins; ++bin)
            expected += matrix.data()[band * n_bins + bin] *
                        static_cast<double>(lanes.data()[bin * block_frames + i]);
          ASSERT_NEAR(out[static_cast<std::size_t>(band * 17 + i)], expected, tolerance)
              << n_bands << " bands, band " << band;
        }
    }
}

TEST_P(Simd, BandProducts) {
  expect_products<float>(3e-5);
  expect_products<double>(1e-13);
}

template <class T>
void expect_peaks() {
  const Index n_bins = 301;
  auto lanes = test::noise<T>(n_bins * block_frames);
  for (Index i = 5; i < n_bins * block_frames; i += 3) lanes.data()[i] = lanes.data()[i - 3];
  T limit[block_frames];
  peak_limits(lanes.data(), n_bins, T(0.25), limit);
  std::vector<std::pair<Index, Index>> found, expected;
  for (Index i = 0; i < block_frames; ++i) {
    T top = lanes.data()[i];
    for (Index bin = 0; bin < n_bins; ++bin)
      top = std::max(top, lanes.data()[bin * block_frames + i]);
    ASSERT_EQ(limit[i], T(0.25) * top);
  }
  for (Index bin = 1; bin < n_bins; ++bin)
    for (Index i = 0; i < block_frames; ++i) {
      const T* at = lanes.data() + bin * block_frames + i;
      const bool last = bin + 1 == n_bins;
      if (at[0] > limit[i] && at[0] > at[-block_frames] && (last || at[0] >= at[block_frames]))
        expected.emplace_back(bin, i);
    }
  visit_peaks<T>(lanes.data(), n_bins, block_frames, limit, {1, n_bins, 1.0},
                 [&](Index bin, Index lane, SpectralPeak<T>) { found.emplace_back(bin, lane); });
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 100u);

  lanes.data()[40 * block_frames + 7] = std::numeric_limits<T>::quiet_NaN();
  peak_limits(lanes.data(), n_bins, T(0.25), limit);
  EXPECT_TRUE(std::isnan(limit[7]));
  EXPECT_FALSE(std::isnan(limit[6]));
}

TEST_P(Simd, Peaks) {
  expect_peaks<float>();
  expect_peaks<double>();
}

TEST_P(Simd, RowsToLanes) {
  const Index n_bins = 77, stride = 80;
  const auto rows = test::noise<float>(stride * block_frames);
  const Buffer<float> lanes(static_cast<std::size_t>(n_bins * block_frames));
  for (const Index count : {0, 1, 7, 16}) {
    load_lanes(rows.data(), n_bins, Index(1), stride, count, lanes.data());
    for (Index bin = 0; bin < n_bins; ++bin)
      for (Index i = 0; i < block_frames; ++i)
        ASSERT_EQ(lanes.data()[bin * block_frames + i],
                  i < count ? rows.data()[i * stride + bin] : 0);
  }
}

}  // namespace
}  // namespace metalmom::dsp
