// Kernels of spectral shapes, energies and phases on every instruction set, against their formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "dsp/one_pole.hpp"
#include "dsp/pcen.hpp"
#include "dsp/phases.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp/simd/select.hpp"
#include "dsp/spectral_shape.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Values : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Simd, Values, testing::ValuesIn(simd::available()),
                         [](const auto& each) { return std::string(each.param); });

template <class T>
Buffer<T> magnitudes(Index n) {
  auto values = test::noise<T>(n);
  for (T& each : values) each = std::abs(each);
  return values;
}

// Sixteen frames of magnitudes, the last one silent.
template <class T>
struct Spectrogram {
  static constexpr Index n_bins = 1025;
  Buffer<T> lanes = magnitudes<T>(16 * n_bins);
  std::vector<double> freq;

  Spectrogram() {
    for (Index bin = 0; bin < n_bins; ++bin) {
      lanes.data()[bin * 16 + 15] = 0;
      freq.push_back(10.75 * static_cast<double>(bin));
    }
  }
  double at(Index bin, Index lane) const { return lanes.data()[bin * 16 + lane]; }
  template <class F>
  double sum(F&& f) const {
    double total = 0;
    for (Index bin = 0; bin < n_bins; ++bin) total += f(bin);
    return total;
  }
  std::vector<double> shape(const ShapeParams& params) const {
    std::vector<double> out(16);
    spectral_shape<T>(params, freq, lanes.data(), 16, nullptr, out.data());
    return out;
  }
};

template <class T>
void expect_shapes() {
  const Spectrogram<T> frames;
  const auto centroid = frames.shape({.shape = Shape::centroid});
  const auto bandwidth = frames.shape({.shape = Shape::bandwidth});
  const auto by_power = frames.shape({.shape = Shape::bandwidth, .p = 2.0000001});
  const auto flatness = frames.shape({.shape = Shape::flatness});
  const auto plain = frames.shape({.shape = Shape::flatness, .amin = 1e-80, .power = 1});
  const auto cubed = frames.shape({.shape = Shape::flatness, .power = 3});
  for (Index lane = 0; lane < 15; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    const double total = frames.sum([&](Index bin) { return frames.at(bin, lane); });
    const auto mean = [&](auto&& f) {
      return frames.sum([&](Index bin) {
        return f(frames.freq[static_cast<std::size_t>(bin)]) * frames.at(bin, lane);
      }) / total;
    };
    const double centre = mean([](double f) { return f; });
    EXPECT_NEAR(centroid[i], centre, 1e-9 * centre);
    const double spread = std::sqrt(mean([&](double f) { return (f - centre) * (f - centre); }));
    EXPECT_NEAR(bandwidth[i], spread, 1e-9 * spread);
    EXPECT_NEAR(by_power[i], spread, 1e-5 * spread);
    const auto flat = [&](double power) {
      const auto value = [&](Index bin) {
        return std::max(1e-10, std::pow(frames.at(bin, lane), power));
      };
      return std::exp(frames.sum([&](Index bin) { return std::log(value(bin)); }) /
                      Spectrogram<T>::n_bins) /
             (frames.sum(value) / Spectrogram<T>::n_bins);
    };
    EXPECT_NEAR(flatness[i], flat(2), 1e-6 * flat(2));
    EXPECT_NEAR(plain[i], flat(1), 1e-6 * flat(1));
    EXPECT_NEAR(cubed[i], flat(3), 1e-6 * flat(3));
  }
  EXPECT_EQ(centroid[15], 0);
  EXPECT_EQ(bandwidth[15], 0);
  EXPECT_NEAR(flatness[15], 1, 1e-12);
}

TEST_P(Values, SpectralShapes) {
  expect_shapes<float>();
  expect_shapes<double>();
}

TEST_P(Values, RolloffIsWhereTheRunningSumReachesItsShare) {
  Spectrogram<float> frames;
  for (const double share : {0.01, 0.5, 0.85, 0.99}) {
    const auto rolloff = frames.shape({.shape = Shape::rolloff, .roll_percent = share});
    for (Index lane = 0; lane < 15; ++lane) {
      float total = 0, running = 0;
      for (Index bin = 0; bin < frames.n_bins; ++bin)
        total += static_cast<float>(frames.at(bin, lane));
      Index bin = -1;
      while (running < static_cast<float>(share) * total)
        running += static_cast<float>(frames.at(++bin, lane));
      EXPECT_EQ(rolloff[static_cast<std::size_t>(lane)], 10.75 * static_cast<double>(bin));
    }
    EXPECT_EQ(rolloff[15], 0);
  }
  // The smallest of what lies above, where frequencies fall.
  std::reverse(frames.freq.begin(), frames.freq.end());
  for (const double f : frames.shape({.shape = Shape::rolloff})) EXPECT_EQ(f, 0);
}

template <class T>
void expect_tails(Index first, Index last, Index n_tail) {
  const Spectrogram<T> frames;
  Buffer<T> sorted(static_cast<std::size_t>(32 * n_tail));
  double low[16], high[16];
  spectral_tails(frames.lanes.data(), first, last, n_tail, sorted.data(), low, high);
  for (Index lane = 0; lane < 16; ++lane) {
    std::vector<double> band;
    for (Index bin = first; bin < last; ++bin) band.push_back(frames.at(bin, lane));
    std::sort(band.begin(), band.end());
    double least = 0, greatest = 0;
    for (Index k = 0; k < n_tail; ++k) {
      least += band[static_cast<std::size_t>(k)] / static_cast<double>(n_tail);
      greatest += band[band.size() - 1 - static_cast<std::size_t>(k)] / static_cast<double>(n_tail);
    }
    EXPECT_NEAR(low[lane], least, 1e-12);
    EXPECT_NEAR(high[lane], greatest, 1e-12);
  }
}

TEST_P(Values, TailsOfBands) {
  for (const Index n_tail : {1, 2, 9}) {
    expect_tails<float>(100, 523, n_tail);
    expect_tails<double>(7, 7 + n_tail, n_tail);
    expect_tails<double>(0, 1025, n_tail);
  }
}

TEST_P(Values, GainControl) {
  const Index rows = 11, n = 37;
  const auto S = magnitudes<float>(rows * n);
  std::vector<double> state(rows, 0.3), smoothed(static_cast<std::size_t>(rows * n));
  smooth_energies(S.data(), rows, n, 0.1, state.data(), smoothed.data());
  for (Index row = 0; row < rows; ++row) {
    double z = 0.3;
    for (Index i = 0; i < n; ++i) {
      const double y = 0.1 * S.data()[row * n + i] + z;
      EXPECT_NEAR(smoothed[static_cast<std::size_t>(row * n + i)], y, 1e-15);
      z = 0.9 * y;
    }
    EXPECT_NEAR(state[static_cast<std::size_t>(row)], z, 1e-15);
  }
  for (const auto& [bias, power] :
       {std::pair{2.0, 0.5}, {0.0, 0.5}, {2.0, 0.0}, {10.0, 0.25}, {0.5, 1.0}}) {
    const PcenParams params{.bias = bias, .power = power};
    std::vector<double> out(smoothed.size());
    compress_energy(params, S.data(), smoothed.data(), rows * n, out.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double gained = S[i] * std::pow(params.eps + smoothed[i], -params.gain);
      const double expected =
          power == 0 ? std::log1p(gained) : std::pow(gained + bias, power) - std::pow(bias, power);
      EXPECT_NEAR(out[i], expected, 1e-13 * std::max(1.0, expected)) << bias << " " << power;
    }
  }
}

template <class T>
void expect_phases(double tolerance) {
  const Index n = 51;
  const auto S = magnitudes<T>(n), parts = test::noise<T>(4 * n, 3);
  Buffer<std::complex<T>> rebuilt(n), previous(n), estimate(n);
  for (std::size_t i = 0; i < rebuilt.size(); ++i) {
    rebuilt[i] = {parts[4 * i], parts[4 * i + 1]};
    previous[i] = {parts[4 * i + 2], parts[4 * i + 3]};
  }
  // Squares of these are no numbers of T; the last one is nothing at all.
  const T small = std::sqrt(std::numeric_limits<T>::min()) / 1024;
  rebuilt[5] = {small * 3, small * 4}, previous[5] = 0;
  rebuilt[50] = previous[50] = 0;
  update_phases(S.data(), rebuilt.data(), previous.data(), T(0.5), n, estimate.data());
  for (std::size_t i = 0; i + 1 < estimate.size(); ++i) {
    const auto x = std::complex<double>(rebuilt[i]) - 0.5 * std::complex<double>(previous[i]);
    const auto expected = x / std::hypot(x.real(), x.imag()) * static_cast<double>(S[i]);
    EXPECT_NEAR(estimate[i].real(), expected.real(), tolerance) << i;
    EXPECT_NEAR(estimate[i].imag(), expected.imag(), tolerance) << i;
  }
  EXPECT_EQ(estimate[50], std::complex<T>(0));

  std::vector<double> turns(n);
  for (Index i = 0; i < n; ++i)
    turns[static_cast<std::size_t>(i)] = static_cast<double>(i) / (n - 1);
  phasors(turns.data(), S.data(), n, estimate.data());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const double angle = 2 * std::numbers::pi * turns[i];
    EXPECT_NEAR(estimate[i].real(), S[i] * std::cos(angle), tolerance) << i;
    EXPECT_NEAR(estimate[i].imag(), S[i] * std::sin(angle), tolerance) << i;
  }
}

template <class T>
void expect_sliding_sums(double tolerance) {
  const std::vector<double> weights = {0.5, -1, 0.25, 2, 3};
  // Around the widths of registers, and several of them.
  for (const Index count : {1, 2, 7, 8, 31, 33, 100}) {
    const auto x = test::noise<T>(count + 4);
    Buffer<T> sums(static_cast<std::size_t>(count));
    simd::value_kernels<T>().sliding_sums(x.data(), weights.data(), 5, count, sums.data());
    for (Index i = 0; i < count; ++i) {
      double expected = 0;
      for (Index k = 0; k < 5; ++k)
        expected += weights[static_cast<std::size_t>(k)] * static_cast<double>(x.data()[i + k]);
      EXPECT_NEAR(sums.data()[i], expected, tolerance) << count << " sums, " << i;
    }
  }
}

template <class T>
void expect_logarithms(double tolerance) {
  constexpr Index n = 45;
  Buffer<T> in(n), out(n);
  for (Index i = 0; i < n; ++i) in.data()[i] = static_cast<T>(std::pow(10.0, i - 22));
  simd::value_kernels<T>().logarithms(in.data(), n, {1e-10, 1e-3, 0.5, 7}, out.data());
  for (Index i = 0; i < n; ++i) {
    const double wanted = 0.5 * std::log(std::max(double(in.data()[i]), 1e-10) + 1e-3) + 7;
    EXPECT_NEAR(out.data()[i], wanted, tolerance) << i;
  }
  // the rest of an array by the same arithmetic
  Buffer<T> alone(1);
  for (Index i = 0; i < n; ++i) {
    simd::value_kernels<T>().logarithms(in.data() + i, 1, {1e-10, 1e-3, 0.5, 7}, alone.data());
    EXPECT_EQ(alone.data()[0], out.data()[i]) << i;
  }
  in.data()[3] = std::numeric_limits<T>::quiet_NaN();
  simd::value_kernels<T>().logarithms(in.data(), n, {1e-10, 1e-3, 0.5, 7}, out.data());
  EXPECT_TRUE(std::isnan(out.data()[3]));
}

TEST_P(Values, Logarithms) {
  expect_logarithms<float>(3e-6);
  expect_logarithms<double>(1e-14);
}

template <class T>
void expect_prepared(Index length) {
  const auto y = test::noise<T>(length);
  double mean = 0;
  for (const T sample : y) mean += double(sample) / double(length);
  std::vector<double> found(static_cast<std::size_t>(length));
  for (const bool removes : {false, true}) {
    simd::value_kernels<T>().prepare_frame(y.data(), length, removes, 0.75, found.data());
    for (Index i = 0; i < length; ++i) {
      const double raised = y.data()[i] - 0.75 * y.data()[i ? i - 1 : 0];
      EXPECT_NEAR(found[static_cast<std::size_t>(i)], raised - (removes ? 0.25 * mean : 0), 1e-15)
          << i << " of " << length;
    }
  }
}

TEST_P(Values, FramesArePrepared) {
  for (const Index length : {1, 2, 7, 8, 9, 33, 400, 401}) {
    expect_prepared<float>(length);
    expect_prepared<double>(length);
  }
}

TEST_P(Values, Narrowed) {
  const auto wide = test::noise<double>(37);
  Buffer<float> found(37);
  simd::kernels().narrow(wide.data(), 37, found.data());
  for (Index i = 0; i < 37; ++i) EXPECT_EQ(found.data()[i], static_cast<float>(wide.data()[i]));
}

TEST_P(Values, SlidingSums) {
  expect_sliding_sums<float>(1e-6);
  expect_sliding_sums<double>(1e-14);
}

// Blocks of the recurrence join without a seam: the sums of powers that it stands for.
TEST(OnePole, RecallsAllSamplesBefore) {
  for (const double coef : {0.97, -0.5, 0.0, 1.0}) {
    const auto x = test::noise<double>(37);
    Buffer<double> y(37);
    one_pole(x.data(), 37, coef, 0.3, y.data());
    double expected = 0.3;
    for (Index i = 0; i < 37; ++i) {
      expected += x.data()[i];
      EXPECT_NEAR(y.data()[i], expected, 1e-13) << "coef " << coef << ", sample " << i;
      expected *= coef;
    }
  }
}

TEST_P(Values, Phases) {
  expect_phases<float>(3e-7);
  expect_phases<double>(1e-15);
}

}  // namespace
}  // namespace metalmom::dsp
