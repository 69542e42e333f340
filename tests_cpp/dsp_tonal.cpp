// Phases, pitch and harmonics against their definitions, with every instruction set of this machine.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsp/phase_vocoder.hpp"
#include "dsp/simd/select.hpp"
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

}  // namespace
}  // namespace metalmom::dsp
