// Phases, pitch and harmonics against their definitions, with every instruction set of this
// machine.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dsp/nonnegative.hpp"
#include "dsp/phase_vocoder.hpp"
#include "dsp/simd/tonal_kernels.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Tonal : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Tonal, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// Angles added up, as the phase vocoder is defined.
template <class T>
std::vector<std::complex<double>> stretched(const std::complex<T>* spectra, Index n_frames,
                                            Index stride, std::span<const double> times) {
  const auto at = [&](Index frame) { return std::complex<double>(spectra[frame * stride]); };
  std::vector<std::complex<double>> result;
  double phase = std::arg(at(static_cast<Index>(times[0])));
  for (const double time : times) {
    const auto frame = static_cast<Index>(time);
    const Index low = std::min(frame, n_frames - 2), next = std::min(frame + 1, n_frames - 1);
    const double a = std::abs(at(low)), b = std::abs(at(low + 1));
    // Not std::polar: past the last frame a magnitude may be negative.
    const double length = a + (b - a) * (time - static_cast<double>(low));
    result.emplace_back(length * std::cos(phase), length * std::sin(phase));
    phase += std::arg(at(next)) - std::arg(at(frame));
  }
  return result;
}

template <class T>
void expect_stretched(double scale, double tolerance) {
  constexpr Index n_frames = 9, n_bins = 21;
  const auto parts = test::noise<T>(2 * n_frames * n_bins);
  std::vector<std::complex<T>> spectra(n_frames * n_bins), out(n_frames * n_bins, T(7));
  for (std::size_t i = 0; i < spectra.size(); ++i)
    spectra[i] = std::complex<T>(parts[2 * i], parts[2 * i + 1]) * static_cast<T>(scale);
  for (const Index frame : {0, 3, 4}) spectra[static_cast<std::size_t>(frame * n_bins + 5)] = 0;
  spectra[6] = {T(-0.0), T(0)};
  const std::vector<double> times{0.5, 1, 2.25, 2.25, 0, 3.9, 7.5, 8.75};
  const auto n_times = std::ssize(times);
  const Index first = 2, count = n_bins - 3;
  const Buffer<double> scratch(static_cast<std::size_t>(phase_vocoder_scratch(count)));
  phase_vocoder<T>({spectra.data(), 1, n_frames, n_bins}, 0, times, {}, first, count,
                   {out.data(), 1, n_times, n_bins}, scratch.data());
  for (Index bin = 0; bin < n_bins; ++bin) {
    const auto expected = stretched(spectra.data() + bin, n_frames, n_bins, times);
    for (Index k = 0; k < n_times; ++k) {
      const std::complex<double> found(out[static_cast<std::size_t>(k * n_bins + bin)]);
      if (bin < first || bin >= first + count)
        EXPECT_EQ(found, 7.0) << "bin " << bin << " was written";
      else
        EXPECT_LE(std::abs(found - expected[static_cast<std::size_t>(k)]), tolerance * scale)
            << "bin " << bin << ", time " << k;
    }
  }
}

TEST_P(Tonal, VocoderAddsAngles) {
  expect_stretched<float>(1, 1e-6);
  expect_stretched<float>(1e-30, 1e-6);
  expect_stretched<double>(1, 1e-14);
  expect_stretched<double>(1e-200, 1e-14);
  expect_stretched<double>(1e200, 1e-14);
}

// At a least residual no step within x >= 0 leads down: the gradient is 0 where x is positive, and
// not negative elsewhere.
TEST_P(Tonal, NonnegativeLeastSquaresEndsWhereNoStepLeadsDown) {
  constexpr Index m = 9, n = 5, lanes = NonnegativeLeastSquares::lanes;
  auto A = test::noise<double>(m * n);
  A[3] = A[4] = 0;  // a row that ends early
  const auto b = test::noise<double>(m * lanes, 7), start = test::noise<double>(m * n, 9);
  double curvature = 0;  // of the trace: an upper bound
  for (const double a : A) curvature += a * a;
  const NonnegativeLeastSquares problem({A.data(), 1, m, n}, {start.data(), 1, m, n}, curvature);
  const Buffer<double> x(n * lanes), scratch(static_cast<std::size_t>(problem.scratch_size()));
  alignas(64) double slopes[lanes], moving[lanes];
  problem.start(b.data(), x.data(), slopes, scratch.data());
  const std::vector<double> begin(x.begin(), x.end());
  std::fill_n(moving, lanes, 1.0);
  moving[3] = 0;
  problem.descend(b.data(), 1e-9, 100000, moving, x.data(), scratch.data());
  int at_bound = 0;
  for (Index lane = 0; lane < lanes; ++lane) {
    const auto at = [&](Index c) { return x[static_cast<std::size_t>(c * lanes + lane)]; };
    for (Index c = 0; c < n; ++c) {
      double gradient = 0;
      for (Index r = 0; r < m; ++r) {
        double residual = -b[static_cast<std::size_t>(r * lanes + lane)];
        for (Index k = 0; k < n; ++k) residual += A[static_cast<std::size_t>(r * n + k)] * at(k);
        gradient += A[static_cast<std::size_t>(r * n + c)] * residual;
      }
      EXPECT_GE(at(c), 0);
      if (lane == 3)
        EXPECT_EQ(at(c), begin[static_cast<std::size_t>(c * lanes + lane)]) << "was not to move";
      else if (at(c) > 0)
        EXPECT_NEAR(gradient, 0, 1e-7);
      else
        EXPECT_GE(gradient, -1e-7);
      at_bound += at(c) == 0;
    }
  }
  EXPECT_GT(at_bound, 0);
}

template <class T>
void expect_companded(double mu, double tolerance) {
  const auto& kernels = simd::companding_kernels<T>();
  std::vector<T> x{0, T(-0.0), 1, -1, T(1e-30), T(1e-9), T(-1e-3)};
  for (const T value : test::noise<T>(990)) x.push_back(value);
  const double scale = std::log1p(mu);
  for (const double edge : {-0.7, -0.2, 0.1, 0.4, 0.9}) {  // values around what lies at an edge
    const double level = -1 + 2 * std::round((edge + 1) * mu / 2) / mu;
    const double at = std::copysign(std::expm1(std::abs(level) * scale) / mu, level);
    auto value = static_cast<T>(at * (1 - 1e-5));
    for (int k = 0; k < 400; ++k, value = std::nextafter(value, T(2 * at))) x.push_back(value);
  }
  const Index size = std::ssize(x);
  std::vector<double> levels(x.size());
  kernels.compress(x.data(), size, static_cast<T>(mu), scale, levels.data());
  const auto edge = [&](Index i) { return -1 + 2 * static_cast<double>(i) / mu; };
  std::vector<double> edges;
  for (Index i = 0; i <= static_cast<Index>(mu); ++i) edges.push_back(edge(i));
  std::vector<Index> codes(x.size());
  kernels.quantize(x.data(), size, static_cast<T>(mu), scale, edges.data(), std::ssize(edges), 8,
                   codes.data());
  std::vector<T> back(x.size()), narrow(levels.begin(), levels.end());
  kernels.expand(narrow.data(), size, mu, scale, back.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    const double expected = std::copysign(std::log1p(mu * std::abs(value)) / scale, value);
    EXPECT_NEAR(levels[i], expected, tolerance * std::abs(expected)) << value;
    if (value == 1) {
      EXPECT_EQ(levels[i], static_cast<T>(scale) / scale);
    }
    const auto below = std::lower_bound(edges.begin(), edges.end(), levels[i]) - edges.begin();
    EXPECT_EQ(codes[i], below - 8) << value;
    EXPECT_NEAR(static_cast<double>(back[i]), value, 20 * tolerance) << value;
  }
}

TEST_P(Tonal, CompandingIsThatOfTheDefinition) {
  expect_companded<float>(255, 2e-7);
  expect_companded<double>(255, 1e-15);
  expect_companded<double>(15, 1e-15);
  expect_companded<double>(256, 1e-15);
  expect_companded<float>(4095, 2e-7);
  expect_companded<float>(65535, 2e-7);
}

TEST_P(Tonal, BinsMoveByRatiosOfSpectra) {
  constexpr Index n = 13;
  const auto parts = test::noise<float>(4 * n);
  std::vector<std::complex<float>> s(n), w(n);
  for (std::size_t i = 0; i < n; ++i) {
    s[i] = {parts[4 * i], parts[4 * i + 1]};
    w[i] = {parts[4 * i + 2], parts[4 * i + 3]};
  }
  s[2] = 0;
  for (const bool imaginary : {false, true})
    for (const bool fill : {false, true}) {
      const simd::Reassignment by{3, 0.5, 0.25, imaginary, 0.3, fill, 2.9, 8};
      std::vector<double> found(n);
      simd::harmonic_kernels<float>().reassign(reinterpret_cast<const float*>(s.data()),
                                               reinterpret_cast<const float*>(w.data()), n, by,
                                               found.data());
      for (std::size_t i = 0; i < n; ++i) {
        const std::complex<double> spectrum(s[i]), ratio = std::complex<double>(w[i]) / spectrum;
        const double own = 3 + 0.5 * static_cast<double>(i);
        const double moved = own + 0.25 * (imaginary ? ratio.imag() : ratio.real());
        if (std::norm(spectrum) >= 0.3)
          EXPECT_NEAR(found[i], std::clamp(moved, 2.9, 8.0), 1e-12);
        else if (fill)
          EXPECT_EQ(found[i], std::clamp(own, 2.9, 8.0));
        else
          EXPECT_TRUE(std::isnan(found[i]));
      }
    }
}

TEST_P(Tonal, HarmonicsLieBetweenRows) {
  constexpr Index n_rows = 4, lanes = 16;
  const auto block = test::noise<float>(n_rows * lanes);
  const std::vector<simd::RowBetween> rows{{0, 1, 0.25}, {1, 2, 0},  {-1, 1, 0.5}, {3, 2, 1},
                                           {0, 3, 0.5},  {-1, 0, 0}, {2, 3, 0.75}, {1, 0, 0.5}};
  const auto value = [&](std::size_t r, Index lane, double none) {
    const auto& row = rows[r];
    if (row.low < 0) return none;
    const double low = block[static_cast<std::size_t>(row.low * lanes + lane)];
    const double high = block[static_cast<std::size_t>(row.high * lanes + lane)];
    return low + (high - low) * row.weight;
  };
  const auto& kernels = simd::harmonic_kernels<float>();
  for (const Index count : {Index(16), Index(5)}) {
    std::vector<double> out(rows.size() * 20, 7);
    kernels.between(rows.data(), std::ssize(rows), block.data(), -2, out.data(), 20, count);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (Index lane = 0; lane < 20; ++lane)
        EXPECT_NEAR(out[r * 20 + static_cast<std::size_t>(lane)],
                    lane < count ? value(r, lane, -2) : 7, 1e-12);
    const double weights[] = {0.75, 0.25};
    for (const bool peaks_only : {false, true}) {
      std::fill(out.begin(), out.end(), 7);
      kernels.sums(rows.data(), n_rows, weights, 2, block.data(), peaks_only, -3, out.data(), 20,
                   count);
      for (Index r = 0; r < n_rows; ++r)
        for (Index lane = 0; lane < count; ++lane) {
          const auto own = [&](Index k) {
            return block[static_cast<std::size_t>(k * lanes + lane)];
          };
          const bool peak = r > 0 && r < n_rows - 1 && own(r) > own(r - 1) && own(r) > own(r + 1);
          const auto at = static_cast<std::size_t>(r);
          const double sum = 0.75 * value(at, lane, 0) + 0.25 * value(at + n_rows, lane, 0);
          EXPECT_NEAR(out[at * 20 + static_cast<std::size_t>(lane)], peaks_only && !peak ? -3 : sum,
                      1e-12);
        }
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp
