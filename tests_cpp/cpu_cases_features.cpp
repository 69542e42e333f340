// Cases of the ops of spectral, rhythm and pitch that have no GPU kernel.
#include "cpu_cases.hpp"
#include "dsp/bases.hpp"

namespace metalmom::test {

namespace {

std::shared_ptr<const dsp::Basis> mel_of(Index n_fft) {
  const dsp::DenseMatrix matrix = dsp::make_mel_filters({.n_fft = n_fft, .n_mels = 20});
  return std::make_shared<const dsp::Basis>(matrix.values.data(), matrix.rows, matrix.cols);
}

constexpr auto frames_of_audio = [](auto& data, auto& in, auto& params) {
  in.y = signals_of(data, 3, 9001);
  params.n_fft = 512, params.hop_length = 100;
};

constexpr auto windowed_audio = [](auto& data, auto& in, auto& params) {
  frames_of_audio(data, in, params);
  in.window = window_of(data, 512);
};

}  // namespace

template <>
std::vector<OpCase<ops::FilterbankProduct>> op_cases() {
  return CpuCases<ops::FilterbankProduct>().add("mel", [](auto& data, auto& in, auto&) {
    in.S = {positive_of(data, 3, 50, 129), true};
    in.basis = mel_of(256);
  });
}

template <>
std::vector<OpCase<ops::HarmonicRows>> op_cases() {
  return CpuCases<ops::HarmonicRows>().add("two", [](auto& data, auto& in, auto&) {
    constexpr int n_bins = 64;
    in.S = {positive_of(data, 3, n_bins, 70)};
    for (int harmonic = 1; harmonic <= 2; ++harmonic)
      for (int row = 0; row < n_bins; ++row) {
        const bool inside = harmonic * row + 1 < n_bins;
        data.wide.push_back(inside ? harmonic * row : -1);
        data.more.push_back(inside ? harmonic * row + 1 : 0);
        data.window.push_back(row / 64.0);
      }
    in.low = data.wide, in.high = data.more, in.share = data.window;
    data.weights = {1, 0.5, 0};  // two weights, and what fills
    in.weights = std::span(data.weights).first(2);
    in.fill = std::span(data.weights).last(1);
  });
}

template <>
std::vector<OpCase<ops::BlockDc>> op_cases() {
  return CpuCases<ops::BlockDc>().add(
      "noise", [](auto& data, auto& in, auto&) { in.x = signals_of(data, 5, 701, Signal::noise); });
}

template <>
std::vector<OpCase<ops::PeakPick>> op_cases() {
  CpuCases<ops::PeakPick> cases;
  for (const auto method :
       {dsp::PeakMethod::greedy, dsp::PeakMethod::dp_count, dsp::PeakMethod::dp_value})
    cases.add(std::string(EnumNames<dsp::PeakMethod>::value[static_cast<std::size_t>(method)]),
              [&](auto& data, auto& in, auto& params) {
                in.x = positive_of(data, 5, 1, 701);
                params.pre_max = params.post_max = params.pre_avg = params.post_avg = 4;
                params.wait = 3;
                params.method = method;
              });
  return cases.nan_spreads();
}

namespace {

constexpr auto onsets = [](auto& data, auto& in, auto&) {
  in.onset_envelope = positive_of(data, 3, 1, 701);
  in.window = window_of(data, 200);
};

}  // namespace

template <>
std::vector<OpCase<ops::GlobalTempo>> op_cases() {
  return CpuCases<ops::GlobalTempo>().add("noise", onsets);
}

template <>
std::vector<OpCase<ops::Tempo>> op_cases() {
  return CpuCases<ops::Tempo>()
      .add("of frames", [](auto& data, auto& in, auto&) { in.tg = positive_of(data, 3, 200, 130); })
      .add("a prior", [](auto& data, auto& in, auto& params) {
        in.tg = positive_of(data, 3, 200, 1);
        in.log_prior = wide_of(data.wide, 1, 1, 200).flat();
        params.max_tempo = std::numeric_limits<double>::infinity();
      });
}

template <>
std::vector<OpCase<ops::BeatTrack>> op_cases() {
  return CpuCases<ops::BeatTrack>()
      .add("steady",
           [](auto& data, auto& in, auto&) {
             in.onset_envelope = positive_of(data, 2, 1, 701);
             data.wide = {120, 90};
             in.bpm = {data.wide.data(), 2, 1, 1};
           })
      .add("varying",
           [](auto& data, auto& in, auto&) {
             in.onset_envelope = positive_of(data, 2, 1, 701);
             for (int i = 0; i < 2 * 701; ++i) data.wide.push_back(100 + i % 40);
             in.bpm = {data.wide.data(), 2, 1, 701};
           })
      .rounding({1e-7, unbounded, "the input has no beats, so rounding places them"})
      .nan_spreads();
}

template <>
std::vector<OpCase<ops::PyinObservations>> op_cases() {
  return CpuCases<ops::PyinObservations>().add("audio", [](auto& data, auto& in, auto& params) {
    frames_of_audio(data, in, params);
    params.min_period = 10, params.max_period = 200, params.n_pitch_bins = 100;
    for (int i = 0; i <= 10; ++i) data.wide.push_back(i / 10.0);
    in.thresholds = data.wide;
    data.weights.assign(10, 0.1);
    in.weights = data.weights;
  });
}

template <>
std::vector<OpCase<ops::Piptrack>> op_cases() {
  return CpuCases<ops::Piptrack>().add(
      "noise", [](auto& data, auto& in, auto&) { in.S = positive_of(data, 3, 70, 1025); });
}

template <>
std::vector<OpCase<ops::SpectrumTuning>> op_cases() {
  return CpuCases<ops::SpectrumTuning>()
      .add("noise", [](auto& data, auto& in, auto&) { in.S = positive_of(data, 3, 70, 1025); })
      .rounding({1e-7, unbounded, "a vote, which ties decide"});
}

template <>
std::vector<OpCase<ops::PitchTuning>> op_cases() {
  return CpuCases<ops::PitchTuning>().add("noise", [](auto& data, auto& in, auto&) {
    in.frequencies = positive_of(data, 1, 1, 400);
    for (float& value : data.values) value *= 2000;
  });
}

}  // namespace metalmom::test
