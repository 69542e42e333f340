// Separation of spectrograms and of audio: both layouts, batches, threads, and one against the
// other.
#include "ops/effects/hpss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/workers.hpp"
#include "dsp_support.hpp"

namespace metalmom::ops {
namespace {

using dsp::test::hann;
using dsp::test::noise;

template <class T>
struct Parts {
  Buffer<T> harmonic, percussive;
};

template <class T>
Parts<T> separate(const Hpss::Params& params, const View<const T>& S) {
  const Hpss::In<T> in{S};
  auto plan = Hpss::plan(params, in);
  Hpss::check_values(plan, in);
  auto out = Hpss::outputs<T>(plan);
  const auto size = static_cast<std::size_t>(out.harmonic.size());
  Parts<T> parts{Buffer<T>(size), Buffer<T>(size)};
  out.harmonic.data = parts.harmonic.data();
  out.percussive.data = parts.percussive.data();
  Hpss::run_cpu(plan, in, out);
  return parts;
}

template <class T>
Parts<T> separate_audio(const HpssAudio::Params& params, const HpssAudio::In<T>& in) {
  const auto plan = HpssAudio::plan(params, in);
  auto out = HpssAudio::outputs<T>(plan);
  const auto size = static_cast<std::size_t>(out.harmonic.size());
  Parts<T> parts{Buffer<T>(size), Buffer<T>(size)};
  out.harmonic.data = parts.harmonic.data();
  out.percussive.data = parts.percussive.data();
  HpssAudio::run_cpu(plan, in, out);
  return parts;
}

template <class T>
void expect_same(const Buffer<T>& a, const Buffer<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << i;
}

template <class T>
Buffer<T> magnitudes(Index n) {
  auto S = noise<T>(n);
  for (T& each : S) each = std::abs(each);
  return S;
}

TEST(Hpss, TakesBothLayouts) {
  const Index frames = 70, bins = 45;
  const auto S = magnitudes<float>(frames * bins);
  Buffer<float> turned(S.size());
  for (Index i = 0; i < frames; ++i)
    for (Index k = 0; k < bins; ++k) turned.data()[k * frames + i] = S.data()[i * bins + k];
  Hpss::Params params;
  params.kernel_harmonic = 31;
  params.kernel_percussive = 9;
  params.margin_harmonic = 1.5;
  const auto upright = separate<float>(params, {S.data(), 1, frames, bins});
  params.frames_major = false;
  const auto lying = separate<float>(params, {turned.data(), 1, bins, frames});
  for (Index i = 0; i < frames; ++i)
    for (Index k = 0; k < bins; ++k) {
      ASSERT_EQ(upright.harmonic.data()[i * bins + k], lying.harmonic.data()[k * frames + i]);
      ASSERT_EQ(upright.percussive.data()[i * bins + k], lying.percussive.data()[k * frames + i]);
    }
}

// A line along time is harmonic, one along frequency percussive.
TEST(Hpss, TellsLinesApart) {
  const Index frames = 80, bins = 60;
  Buffer<double> S(static_cast<std::size_t>(frames * bins));
  for (Index i = 0; i < frames; ++i)
    for (Index k = 0; k < bins; ++k) S.data()[i * bins + k] = i == 40 || k == 20 ? 100 : 1;
  Hpss::Params params;
  params.mask = true;
  const auto masks = separate<double>(params, {S.data(), 1, frames, bins});
  EXPECT_GT(masks.harmonic.data()[10 * bins + 20], 0.999);
  EXPECT_GT(masks.percussive.data()[40 * bins + 50], 0.999);
  for (std::size_t i = 0; i < S.size(); ++i)
    EXPECT_NEAR(masks.harmonic[i] + masks.percussive[i], 1, 1e-15);
}

TEST(Hpss, DoesNotDependOnThreadsOrTheBatch) {
  const Index batch = 3, frames = 300, bins = 33;
  const auto S = magnitudes<float>(batch * frames * 2 * bins);
  Hpss::Params params;
  params.pairs = true;
  const View<const float> all{S.data(), batch, frames, 2 * bins};
  const ThreadsScope one(1);
  const auto alone = separate<float>(params, all);
  {
    const ThreadsScope several(4);
    const auto together = separate<float>(params, all);
    expect_same(alone.harmonic, together.harmonic);
    expect_same(alone.percussive, together.percussive);
  }
  const auto last = separate<float>(params, {all.row(2), 1, frames, 2 * bins});
  const auto first = alone.harmonic.size() / 3 * 2;
  for (std::size_t i = 0; i < last.harmonic.size(); ++i)
    ASSERT_EQ(last.harmonic[i], alone.harmonic[first + i]);
}

TEST(Hpss, RefusesNegativeMedians) {
  Buffer<float> S(400);
  for (float& each : S) each = -1;
  EXPECT_THROW(separate<float>({}, {S.data(), 1, 20, 20}), ParameterError);
  Hpss::Params params;
  params.margin_percussive = 0.5;
  EXPECT_THROW(separate<float>(params, {S.data(), 1, 20, 20}), ParameterError);
}

// The pass over audio gives what the three steps over spectrograms give.
template <class T>
void expect_steps(const HpssAudio::Params& params, Index batch, Index samples) {
  const auto y = noise<T>(batch * samples);
  const auto window = hann(params.n_fft);
  const HpssAudio::In<T> in{{y.data(), batch, 1, samples}, window};
  const auto parts = separate_audio<T>(params, in);

  const auto forward = Stft::plan<T>(params, {in.y, window});
  auto spectrum = Stft::outputs<T>(forward).spectrum;
  Buffer<std::complex<T>> bins(static_cast<std::size_t>(spectrum.size()));
  spectrum.data = bins.data();
  Stft::run_cpu<T>(forward, {in.y, window}, {spectrum});
  Hpss::Params of_spectrum;
  static_cast<dsp::HpssParams&>(of_spectrum) = params;
  of_spectrum.pairs = true;
  auto spectra = separate<T>(of_spectrum, {reinterpret_cast<const T*>(bins.data()), batch,
                                           spectrum.rows, 2 * spectrum.cols});
  const auto expect_inverse = [&](const Buffer<T>& part, const Buffer<T>& audio) {
    const View<const std::complex<T>> view{reinterpret_cast<const std::complex<T>*>(part.data()),
                                           batch, spectrum.rows, spectrum.cols};
    const auto plan =
        Istft::plan<T>({params.n_fft, params.hop_length, params.center, samples}, {view, window});
    auto y_out = Istft::outputs<T>(plan).y;
    Buffer<T> expected(static_cast<std::size_t>(y_out.size()));
    y_out.data = expected.data();
    Istft::run_cpu<T>(plan, {view, window}, {y_out});
    expect_same(expected, audio);
  };
  expect_inverse(spectra.harmonic, parts.harmonic);
  expect_inverse(spectra.percussive, parts.percussive);
}

TEST(HpssAudio, IsItsThreeSteps) {
  HpssAudio::Params params;
  params.n_fft = 512;
  params.hop_length = 128;
  for (const int threads : {1, 4}) {
    const ThreadsScope scope(threads);
    expect_steps<float>(params, 2, 60'000);
    expect_steps<double>(params, 1, 3'001);
  }
  params.hop_length = 500;
  params.kernel_harmonic = 8;
  params.power = 1;
  expect_steps<float>(params, 1, 20'000);
  params.center = false;
  expect_steps<float>(params, 3, 5'000);
  // Sizes that are transformed in lanes, and by the library.
  for (const Index n_fft : {600, 551, 1234})
    for (const bool center : {true, false}) {
      params.n_fft = n_fft;
      params.hop_length = n_fft / 4;
      params.center = center;
      expect_steps<float>(params, 2, 20'000);
      expect_steps<double>(params, 1, 9'000);
    }
}

}  // namespace
}  // namespace metalmom::ops
