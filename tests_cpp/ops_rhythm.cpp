// Plans refuse what cannot be computed; signals of a batch and numbers of threads change nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/workers.hpp"
#include "ops/all.hpp"
#include "ops_support.hpp"

namespace metalmom::ops {
namespace {

using Floats = std::vector<float>;

std::string refusal(auto&& call) {
  try {
    call();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "";
}

Floats envelope(Index n, int seed = 1) {
  Floats values;
  std::uint32_t state = static_cast<std::uint32_t>(seed);
  for (Index i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(static_cast<float>(state >> 8) / (1 << 24) + (i % 21 == 0 ? 3.0f : 0.0f));
  }
  return values;
}

const std::vector<double>& hann() {
  static const std::vector<double> window = [] {
    std::vector<double> w;
    for (int i = 0; i < 384; ++i) w.push_back(0.5 - 0.5 * std::cos(std::numbers::pi * i / 192));
    return w;
  }();
  return window;
}

template <class Op>
void expect_invariant(const typename Op::Params& params, auto&& input) {
  const Floats a = envelope(700, 1), b = envelope(700, 2);
  Floats both = a;
  both.insert(both.end(), b.begin(), b.end());
  const auto first = results<Op>(params, input(a, 1));
  const auto second = results<Op>(params, input(b, 1));
  auto expected = first;
  expected.insert(expected.end(), second.begin(), second.end());
  for (const int threads : {1, 3}) {
    const ThreadsScope scope(threads);
    EXPECT_EQ(results<Op>(params, input(both, 2)), expected) << threads << " threads";
  }
}

TEST(Rhythm, ABatchIsItsSignalsAlone) {
  const auto tempogram = [](const Floats& x, Index batch) {
    return TempogramInputs<float>{{x.data(), batch, 1, 700}, hann()};
  };
  expect_invariant<Tempogram>({}, tempogram);
  expect_invariant<GlobalTempo>({}, [](const Floats& x, Index batch) {
    return GlobalTempo::In<float>{{{x.data(), batch, 1, 700}, hann()}, {}};
  });
  expect_invariant<Autocorrelate>({}, [](const Floats& x, Index batch) {
    return Autocorrelate::In<float>{{x.data(), batch, 1, 700}};
  });
  const std::vector<double> periods = {21, 21};
  expect_invariant<BeatTrack>({}, [&](const Floats& x, Index batch) {
    return BeatTrack::In<float>{{x.data(), batch, 1, 700}, {periods.data(), batch, 1, 1}};
  });
  PeakPick::Params rule;
  rule.pre_max = rule.post_max = rule.pre_avg = rule.post_avg = 4;
  expect_invariant<PeakPick>(rule, [](const Floats& x, Index batch) {
    return PeakPick::In<float>{{x.data(), batch, 1, 700}};
  });
  FluxParams flux;
  flux.shift = 3;
  flux.aggregate = dsp::FluxAggregate::median;
  expect_invariant<SpectralFlux>(flux, [](const Floats& x, Index batch) {
    const View<const float> S{x.data(), batch, 7, 100};
    return SpectralFlux::In<float>{S, S};
  });
}

TEST(Rhythm, TheMeanOfATempogramIsItsMean) {
  const Floats x = envelope(300);
  const TempogramInputs<float> in{{x.data(), 1, 1, 300}, hann()};
  const auto whole = results<Tempogram>({}, in);
  std::vector<double> mean(384);
  tempogram_mean(plan_tempogram({}, in), in, {mean.data(), 1, 1, 384});
  for (std::size_t k = 0; k < mean.size(); ++k) {
    double sum = 0;
    for (std::size_t t = 0; t < 300; ++t) sum += whole[k * 300 + t];
    EXPECT_NEAR(mean[k], sum / 300, 1e-14);
  }
}

TEST(Rhythm, FluxIsShiftedAndTrimmed) {
  const Floats S = {0, 1, 4, 4, 9};  // one band
  const SpectralFlux::In<float> in{{S.data(), 1, 1, 5}, {S.data(), 1, 1, 5}};
  FluxParams params;
  params.shift = 3;
  EXPECT_EQ(results<SpectralFlux>(params, in), (Floats{0, 0, 0, 1, 3}));
  params.trim = false;
  EXPECT_EQ(results<SpectralFlux>(params, in), (Floats{0, 0, 0, 1, 3, 0, 5}));
  params.lag = 9;
  EXPECT_EQ(results<SpectralFlux>(params, in), (Floats{0, 0, 0}));
}

TEST(Rhythm, PlansNameWhatIsWrong) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats x = {1, 2, infinity};
  const TempogramInputs<float> bad{{x.data(), 1, 1, 3}, hann()}, good{{x.data(), 1, 1, 2}, hann()};
  EXPECT_EQ(refusal([&] {
              auto plan = Tempogram::plan({}, bad);
              check_values<Tempogram, float>(plan, bad);
            }),
            "onset_envelope=inf must be finite");
  EXPECT_EQ(refusal([&] { Tempogram::plan({false}, good); }),
            "onset_envelope.shape[-1]=2 must be at least win_length=384");
  EXPECT_EQ(refusal([&] {
              Tempogram::plan({true, true, -2}, good);
            }),
            "norm=-2 must be infinity, -infinity or non-negative");
  const double tempo = 120, nan = std::nan(""), endless = 1e-320;
  const auto beats = [&](Index n, const double* p, double tightness) {
    return refusal([&] {
      const BeatTrack::In<float> in{{x.data(), 1, 1, n}, {p, 1, 1, 1}};
      auto plan = BeatTrack::plan({43.0, tightness, true}, in);
      check_values<BeatTrack, float>(plan, in);
    });
  };
  EXPECT_EQ(beats(2, &tempo, 0), "tightness=0 must be a number > 0");
  EXPECT_EQ(beats(1, &tempo, 1), "onset_envelope.shape[-1]=1 must be at least 2 and below 2**31");
  EXPECT_NE(beats(2, &nan, 1).find("must be a number > 0"), std::string::npos);
  EXPECT_NE(beats(2, &endless, 1).find("must be large enough for a beat"), std::string::npos);
  EXPECT_EQ(beats(2, &tempo, 1), "");
  FluxParams flux;
  flux.lag = 0;
  EXPECT_EQ(refusal([&] { plan_flux(flux, 1, 1, 5); }), "lag=0 must be a positive integer");
  EXPECT_EQ(refusal([&] {
              PitchTuning::plan({0, 12}, PitchTuning::In<float>{{x.data(), 1, 1, 2}});
            }),
            "resolution=0 must be a number of at least 1e-7");
}

}  // namespace
}  // namespace metalmom::ops
