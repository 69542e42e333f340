// Cases of the ops that start from arrays other than audio.
#include <cmath>
#include <limits>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<float> powers(Index size) {
  std::vector<float> values;
  for (const float each : dsp::test::noise<float>(size, 3))
    values.push_back(std::pow(10.0f, 6 * each));
  return values;
}

// A Hamming window ends above zero. Where a division by overlapping windows meets their zeros it
// magnifies the rounding of any float transform.
std::vector<double> hamming(Index length) {
  std::vector<double> window = dsp::test::hann(length);
  for (double& each : window) each = 0.08 + 0.92 * each;
  return window;
}

// The spectra of noise, by the op itself.
OpCase<ops::Istft> istft_case(std::string name, ops::Istft::Params params, Index win_length,
                              Index batch, Index samples) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, batch, samples);
  data->window = hamming(win_length);
  const ops::FrameParams forward{params.n_fft, params.hop_length, params.center};
  const ops::Stft::In<float> in{{data->values.data(), batch, 1, samples}, data->window};
  const auto plan = ops::Stft::plan(forward, in);
  auto out = ops::Stft::outputs<float>(plan);
  data->spectrum.resize(static_cast<std::size_t>(out.spectrum.size()));
  out.spectrum.data = data->spectrum.data();
  ops::Stft::run_cpu(plan, in, out);
  return {std::move(name), params, {out.spectrum, data->window}, data};
}

}  // namespace

template <>
std::vector<OpCase<ops::Istft>> op_cases() {
  std::vector<OpCase<ops::Istft>> cases;
  for (const Index n : {256, 512, 1024, 2048, 4096, 8192})
    for (const Index hop : {n / 4, n / 4 + 1, n / 8})
      cases.push_back(
          istft_case(std::to_string(n) + "/" + std::to_string(hop), {n, hop}, n, 2, 6 * n));
  for (const Index length : {1, 100, 5000, 20000, 30000})
    cases.push_back(
        istft_case("length " + std::to_string(length), {2048, 512, true, length}, 2048, 3, 20000));
  cases.push_back(istft_case("window 1500", {2048, 300}, 1500, 1, 12000));
  cases.push_back(istft_case("window 400, hop 500", {2048, 500}, 400, 1, 12000));
  cases.push_back(istft_case("not centred", {2048, 512, false}, 2048, 1, 12000));
  cases.push_back(istft_case("long", {2048, 512}, 2048, 1, 600'000));
  cases.push_back(istft_case("no kernel", {1000, 250}, 1000, 1, 12000));
  cases.back().on_gpu = false;
  for (auto& each : cases)
    each.rounding = {2e-6, 1e-3,
                     "windows are divided out; equal bins are an impulse, where windows are zero"};
  return cases;
}

// A few iterations, from the phases of the signal itself: every iteration takes phases from bins
// that may be near empty, so that float and double drift apart.
template <>
std::vector<OpCase<ops::GriffinLim>> op_cases() {
  std::vector<OpCase<ops::GriffinLim>> cases;
  for (const Index n_iter : {0, 1, 4}) {
    const auto from = istft_case("", {1024, 256}, 1024, 2, 9000);
    auto data = std::make_shared<CaseData>(*from.data);
    for (const auto& bin : data->spectrum) data->magnitudes.push_back(1.5f * std::abs(bin));
    auto view = from.in.spectrum;
    view.data = data->spectrum.data();
    cases.push_back({std::to_string(n_iter) + " iterations", {}, {}, data});
    cases.back().params.n_fft = 1024, cases.back().params.hop_length = 256;
    cases.back().params.n_iter = n_iter;
    cases.back().in = {
        {data->magnitudes.data(), view.batch, view.rows, view.cols}, view, data->window};
    cases.back().tolerance = 1e-4;
    cases.back().rounding = {1e-6, unbounded,
                             "the phase of a bin that is nearly empty is that of its rounding"};
  }
  return cases;
}

template <>
std::vector<OpCase<ops::Hpss>> op_cases() {
  std::vector<OpCase<ops::Hpss>> cases;
  const auto add = [&](Index rows, Index cols, auto&& change) {
    auto data = std::make_shared<CaseData>();
    data->values = make_signal(Signal::noise, 2, 2 * rows * cols);
    const View<const float> S{data->values.data(), 2, rows, 2 * cols};
    cases.push_back({std::to_string(rows) + " by " + std::to_string(cols), {}, {S}, data});
    cases.back().params.pairs = true;
    cases.back().nan_spreads = true;  // into the other of its pair
    change(cases.back().params);
  };
  const auto nothing = [](ops::Hpss::Params&) {};
  for (const Index rows : {1, 2, 15, 16, 17, 31, 32, 70})
    for (const Index cols : {1, 9, 65}) add(rows, cols, nothing);
  add(2000, 513, nothing);  // several pieces of a clip
  add(40, 70, [](auto& p) { p.frames_major = false; });
  add(40, 70, [](auto& p) { p.mask = true; });
  for (const Index size : {1, 2, 30})
    add(40, 70, [=](auto& p) { p.kernel_harmonic = size, p.kernel_percussive = 17; });
  for (const double power : {1.0, 1.5, infinity})
    add(40, 70, [=](auto& p) { p.power = power, p.margin_harmonic = 2; });
  add(40, 70, [](auto& p) { p.kernel_harmonic = 32; });
  cases.back().on_gpu = false;
  const auto as_real = [](OpCase<ops::Hpss>& each, bool magnitudes) {
    auto data = std::make_shared<CaseData>(*each.data);
    if (magnitudes)
      for (float& value : data->values) value = std::abs(value);
    each.params.pairs = each.nan_spreads = false;
    each.in.S.data = data->values.data();
    each.data = data;
  };
  for (const bool mask : {false, true}) {
    add(40, 70, [=](auto& p) { p.mask = mask, p.kernel_percussive = 9; });
    as_real(cases.back(), true);
  }
  add(3000, 257, nothing);
  as_real(cases.back(), true);
  add(40, 70, nothing);
  as_real(cases.back(), false);
  cases.back().on_gpu = false;
  return cases;
}

template <>
std::vector<OpCase<ops::HpssAudio>> op_cases() {
  std::vector<OpCase<ops::HpssAudio>> cases;
  for (const Index samples : {300, 9000, 40'000}) {
    auto data = std::make_shared<CaseData>();
    data->values = make_signal(Signal::noise, 2, samples);
    data->window = dsp::test::hann(1024);
    cases.push_back(
        {std::to_string(samples), {}, {{data->values.data(), 2, 1, samples}, data->window}, data});
    cases.back().params.n_fft = 1024, cases.back().params.hop_length = 256;
  }
  return cases;
}

template <>
std::vector<OpCase<ops::Dct>> op_cases() {
  std::vector<OpCase<ops::Dct>> cases;
  for (const Index n_bands : {2, 40, 128, 300})
    for (const Index rows : {1, 20, 21}) {
      auto data = std::make_shared<CaseData>();
      data->values = powers(3 * n_bands * 131);
      for (float& each : data->values) each = 10 * std::log10(each);
      cases.push_back({std::to_string(rows) + " of " + std::to_string(n_bands), {}, {}, data});
      cases.back().params.n_mfcc = rows;
      cases.back().in.S = {data->values.data(), 3, n_bands, 131};
      cases.back().rounding = {1e-7, unbounded, "sums of the same level in all bands cancel"};
    }
  return cases;
}

template <>
std::vector<OpCase<ops::SpectralFlux>> op_cases() {
  std::vector<OpCase<ops::SpectralFlux>> cases;
  for (const auto aggregate : {dsp::FluxAggregate::mean, dsp::FluxAggregate::median})
    for (const auto& [n_bands, n_frames] : std::initializer_list<std::pair<Index, Index>>{
             {1, 1}, {1, 2}, {1, 129}, {2, 700}, {40, 1}, {40, 2}, {40, 129}, {41, 700}}) {
      auto data = std::make_shared<CaseData>();
      data->values = powers(2 * 3 * n_bands * n_frames);
      const View<const float> S{data->values.data(), 3, n_bands, n_frames};
      const View<const float> ref{S.data + S.size(), 3, n_bands, n_frames};
      cases.push_back({std::to_string(n_bands) + " by " + std::to_string(n_frames),
                       {2, 3, 1, true, aggregate},
                       {S, ref},
                       data});
    }
  return cases;
}

template <>
std::vector<OpCase<ops::Decibel>> op_cases() {
  std::vector<OpCase<ops::Decibel>> cases;
  for (const Index values : {1, 7, 2047, 2048, 2049, 30'000, 1'000'000})
    for (const bool amplitude : {false, true})
      for (const double top_db : {80.0, 0.0, infinity}) {
        auto data = std::make_shared<CaseData>();
        data->values = powers(3 * values);
        if (values > 7) data->values[5] = 0.0f;
        // One reference for all, or one a group.
        data->window = amplitude ? std::vector<double>{0.5, 1e-12, 40} : std::vector<double>{2.0};
        cases.push_back({std::to_string(values) + (amplitude ? " amplitudes" : " powers"),
                         {1e-10, top_db, amplitude},
                         {},
                         data});
        cases.back().in = {{data->values.data(), 3, 1, values}, data->window};
        cases.back().nan_spreads = top_db != infinity;  // it is the loudest level
      }
  return cases;
}

}  // namespace metalmom::test
