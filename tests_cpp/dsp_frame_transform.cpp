#include "dsp/frame_transform.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/subnormals.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

template <class Transform, class Signal>
struct Precision {
  using T = Transform;
  using S = Signal;
};

template <class P>
class Transform : public testing::Test {
 public:
  // Relative to the largest bin: rounding of the transform, then of the result.
  static constexpr double tolerance = std::is_same_v<typename P::T, float>   ? 5e-7
                                      : std::is_same_v<typename P::S, float> ? 6e-8
                                                                             : 1e-15;
};
using Precisions =
    testing::Types<Precision<float, float>, Precision<double, double>, Precision<double, float>>;
TYPED_TEST_SUITE(Transform, Precisions);

const Index sizes[] = {1, 2, 5, 100, 127, 256, 400, 512, 1024};

template <class S>
FrameSource<S> source_of(const Buffer<S>& y, Index n_fft) {
  return {y.data(),        static_cast<Index>(y.size()), n_fft / 4 + 1, n_fft, n_fft / 2,
          PadMode::reflect};
}

template <class S>
std::vector<std::complex<double>> expected_spectrum(const FrameSource<S>& source, Index frame,
                                                    const std::vector<double>& window) {
  std::vector<S> samples(static_cast<std::size_t>(source.n_fft));
  gather_frame(source, frame, samples.data());
  std::vector<double> windowed(samples.size());
  const std::size_t offset = (samples.size() - window.size()) / 2;
  for (std::size_t i = 0; i < window.size(); ++i)
    windowed[offset + i] = window[i] * static_cast<double>(samples[offset + i]);
  return test::naive_dft(windowed.data(), source.n_fft);
}

TYPED_TEST(Transform, SpectraAndPowersAreTheDefinition) {
  using T = typename TypeParam::T;
  using S = typename TypeParam::S;
  for (const Index n_fft : sizes) {
    const auto window = test::hann(n_fft > 4 ? n_fft - 3 : n_fft);
    const FrameTransform<T> transform(n_fft, window);
    const auto y = test::noise<S>(5 * n_fft + 3);
    const auto source = source_of(y, n_fft);
    const Index count = 3, n_bins = transform.n_bins();
    std::vector<std::complex<S>> bins(static_cast<std::size_t>(count * n_bins));
    transform.spectra(source, 1, count, bins.data());
    const Buffer<S> lanes(static_cast<std::size_t>(n_bins * block_frames));
    for (const float power : {1.0f, 2.0f, 1.5f}) {
      transform.power_block(source, 1, count, power, lanes.data());
      for (Index frame = 0; frame < count; ++frame) {
        const auto expected = expected_spectrum(source, 1 + frame, window);
        double peak = 1e-30;
        for (const auto& bin : expected) peak = std::max(peak, std::abs(bin));
        const double peak_power = std::pow(peak, power);
        for (Index k = 0; k < n_bins; ++k) {
          const auto exact = expected[static_cast<std::size_t>(k)];
          const std::complex<double> got(bins[static_cast<std::size_t>(frame * n_bins + k)]);
          ASSERT_LE(std::abs(got - exact), this->tolerance * peak) << n_fft << " bin " << k;
          ASSERT_NEAR(lanes[static_cast<std::size_t>(k * block_frames + frame)],
                      std::pow(std::abs(exact), power), 4 * this->tolerance * peak_power)
              << n_fft << " bin " << k << " power " << power;
        }
      }
    }
    EXPECT_EQ(lanes[block_frames - 1], 0) << "unused lanes are zero";
  }
}

// A frame's numbers do not depend on its lane, its neighbours or the size of its block.
TYPED_TEST(Transform, LanesAreIndependent) {
  using T = typename TypeParam::T;
  using S = typename TypeParam::S;
  for (const Index n_fft : {100, 1024}) {
    const FrameTransform<T> transform(n_fft, test::hann(n_fft));
    const auto y = test::noise<S>(9 * n_fft);
    const auto source = source_of(y, n_fft);
    const auto n = static_cast<std::size_t>(transform.n_bins() * block_frames);
    const Buffer<S> whole(n), part(n);
    transform.power_block(source, 0, block_frames, 2, whole.data());
    for (const Index first : {3, 9, 15}) {
      transform.power_block(source, first, 1, 2, part.data());
      for (std::size_t k = 0; k < n; k += block_frames)
        ASSERT_EQ(part[k], whole[k + static_cast<std::size_t>(first)]);
    }
  }
}

TYPED_TEST(Transform, OverlapAddWindowsTheInverse) {
  using T = typename TypeParam::T;
  using S = typename TypeParam::S;
  for (const Index n_fft : sizes) {
    const auto rectangle = std::vector<double>(static_cast<std::size_t>(n_fft), 1.0);
    const auto window = test::hann(n_fft);
    const FrameTransform<T> forward(n_fft, rectangle), backward(n_fft, window);
    const auto y = test::noise<S>(n_fft);
    std::vector<std::complex<S>> bins(static_cast<std::size_t>(forward.n_bins()));
    forward.spectra_of(y.data(), n_fft, 1, bins.data());
    const Index begin = n_fft / 3, end = n_fft;
    std::vector<S> out(static_cast<std::size_t>(end - begin), S(1));
    backward.overlap_add(bins.data(), begin, end, out.data());
    for (Index i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_NEAR(out[at - static_cast<std::size_t>(begin)],
                  1 + window[at] * static_cast<double>(y[at]), 8 * this->tolerance)
          << n_fft;
    }
  }
}

// Magnitudes of audio whose squares S cannot hold are those of the same audio at another level;
// a power of two changes no bit of them. Each frame by itself: here every second one is silent or
// of ordinary level.
TYPED_TEST(Transform, MagnitudesHoldAtAnyLevel) {
  using T = typename TypeParam::T;
  using S = typename TypeParam::S;
  constexpr int most = std::is_same_v<S, float> ? 100 : 900;
  for (const Index n_fft : {Index{127}, Index{400}, Index{512}}) {
    const FrameTransform<T> transform(n_fft, test::hann(n_fft));
    const Index n_values = transform.n_bins() * block_frames;
    const auto y = test::noise<S>(5 * n_fft);
    const Buffer<S> expected(n_values), squares(n_values), lanes(n_values);
    for (const int exponent : {most, most * 2 / 3, -most * 2 / 3, -most}) {
      const Buffer<S> scaled(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        const bool changed = i / static_cast<std::size_t>(n_fft) % 2 == 0;
        scaled[i] = changed ? std::ldexp(y[i], exponent) : y[i];
      }
      const FrameSource<S> plain{y.data(), 5 * n_fft, n_fft, n_fft};
      const FrameSource<S> source{scaled.data(), 5 * n_fft, n_fft, n_fft};
      transform.power_block(plain, 0, 5, 1, expected.data());
      transform.power_block(source, 0, 5, 1, lanes.data());
      for (Index i = 0; i < n_values; ++i) {
        const Index frame = i % block_frames;
        ASSERT_EQ(lanes[i], std::ldexp(expected[i], frame % 2 == 0 ? exponent : 0))
            << "n_fft=" << n_fft << " exponent=" << exponent << " value " << i;
      }
      transform.power_block(source, 0, 5, 2, squares.data());
      transform.raise(source, 0, 5, squares.data(), 1, squares.data());
      EXPECT_TRUE(std::equal(squares.begin(), squares.end(), lanes.begin()));
      transform.power_block(source, 0, 5, 1.5F, squares.data());
      if (exponent != -most * 2 / 3) continue;
      for (Index i = 0; i < n_values; ++i)
        ASSERT_NEAR(squares[i], std::pow(lanes[i], S(1.5)), 1e-5 * std::pow(lanes[i], S(1.5)));
    }
  }
}

// Where all frames of a block are that quiet, too: alone, overlapping, beside padding, and down to
// where samples themselves end.
TYPED_TEST(Transform, MagnitudesOfQuietBlocksAreThoseOfLoudOnes) {
  using T = typename TypeParam::T;
  using S = typename TypeParam::S;
  constexpr int least = std::is_same_v<S, float> ? 20 : 180, most = 5 * least;
  const SubnormalsFlushed arithmetic;  // as in every call
  for (const Index n_fft : {Index{127}, Index{400}, Index{512}})
    for (const double loudness : {1.0, 1e-12, 1e12}) {
      auto window = test::hann(n_fft);
      for (double& each : window) each *= loudness;
      const FrameTransform<T> transform(n_fft, window);
      const Index n_bins = transform.n_bins(), n_values = n_bins * block_frames;
      const auto y = test::noise<S>(8 * n_fft);
      const Buffer<S> scaled(y.size()), expected(n_values), squares(n_values), lanes(n_values),
          row(n_bins);
      for (const auto mode : {PadMode::constant, PadMode::reflect, PadMode::linear_ramp})
        for (int exponent = -least; exponent >= -most; exponent -= least / 4) {
          for (std::size_t i = 0; i < y.size(); ++i) scaled[i] = std::ldexp(y[i], exponent);
          const Index pad = mode == PadMode::constant && exponent % 2 == 0 ? 0 : n_fft / 2;
          const FrameSource<S> plain{y.data(), 8 * n_fft, n_fft / 4, n_fft, pad, mode};
          const FrameSource<S> source{scaled.data(), 8 * n_fft, n_fft / 4, n_fft, pad, mode};
          transform.power_block(plain, 0, 11, 1, expected.data());
          for (S& each : expected) each = std::ldexp(each, exponent);
          transform.power_block(source, 0, 11, 1, lanes.data());
          ASSERT_TRUE(std::equal(lanes.begin(), lanes.end(), expected.begin()))
              << n_fft << " " << loudness << " " << exponent;
          transform.power_block(source, 0, 11, 2, squares.data());
          transform.raise(source, 0, 11, squares.data(), 1, lanes.data());
          ASSERT_TRUE(std::equal(lanes.begin(), lanes.end(), expected.begin())) << exponent;
          transform.power_row(source, 5, 1, row.data());
          for (Index bin = 0; bin < n_bins; ++bin)
            ASSERT_EQ(row[bin], expected[bin * block_frames + 5]) << exponent;
          transform.power_row(source, 5, 2, row.data());
          transform.raise_row(source, 5, row.data(), 1, row.data());
          for (Index bin = 0; bin < n_bins; ++bin)
            ASSERT_EQ(row[bin], expected[bin * block_frames + 5]) << exponent;
        }
    }
}

TEST(FrameTransformWindow, IsCentredAndChecked) {
  const std::vector<double> window = {1, 1};
  const auto transform = frame_transform<double>(6, window);
  EXPECT_EQ(transform, frame_transform<double>(6, window));
  const double frame[] = {9, 9, 1, 2, 9, 9};
  std::complex<double> bins[4];
  transform->spectra_of(frame, 6, 1, bins);
  EXPECT_NEAR(bins[0].real(), 3, 1e-15);
  EXPECT_THROW(FrameTransform<float>(1, window), ParameterError);
  EXPECT_THROW(FrameTransform<float>(4, {}), ParameterError);
}

}  // namespace
}  // namespace metalmom::dsp
