#include "op_cases.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "dsp/bases.hpp"
#include "dsp_support.hpp"

namespace metalmom::test {

using dsp::PadMode;

std::vector<float> make_signal(Signal signal, Index batch, Index samples) {
  const auto size = static_cast<std::size_t>(batch * samples);
  const auto noise = dsp::test::noise<float>(batch * samples);
  std::vector<float> y(size, 0.0f);
  for (std::size_t i = 0; i < size; ++i) {
    const auto t = static_cast<double>(i);
    switch (signal) {
      case Signal::noise:
        y[i] = noise[i];
        break;
      case Signal::music:  // a chord that fades over a noise floor
        y[i] = static_cast<float>(
                   (std::sin(0.0627 * t) + std::sin(0.0941 * t) + 0.5 * std::sin(0.7311 * t)) *
                   0.3 * std::exp(-t * 1e-4)) +
               1e-4f * noise[i];
        break;
      case Signal::silence:
        break;
      case Signal::impulse:
        y[i] = i % 1009 == 17 ? 1.0f : 0.0f;
        break;
      case Signal::denormal:
        y[i] = noise[i] * 1e-39f;
        break;
      case Signal::square:
        y[i] = i / 50 % 2 ? 1.0f : -1.0f;
        break;
    }
  }
  return y;
}

std::vector<FrameCase> frame_cases() {
  std::vector<FrameCase> cases;
  const auto add = [&](std::string name, ops::FrameParams params, Index samples, Index batch = 1,
                       Signal signal = Signal::noise, Index win_length = 0) {
    cases.push_back(
        {std::move(name), params, win_length ? win_length : params.n_fft, signal, batch, samples});
  };
  for (const Index n : {256, 512, 1024, 2048, 4096, 8192}) {
    const std::string size = std::to_string(n);
    add(size, {n, n / 4, true, PadMode::constant}, 5 * n + 3, 2);
    add(size + " odd hop", {n, n / 4 + 1, true, PadMode::reflect}, 4 * n + 1, 3);
    add(size + " not centred", {n, n / 2, false}, 4 * n, 1, Signal::music);
  }
  add("400", {400, 160, true, PadMode::reflect}, 13207, 2);
  add("400 odd hop", {400, 101, true, PadMode::edge}, 1601, 3, Signal::music);
  add("400, a shorter window", {400, 200, false}, 1600, 1, Signal::noise, 355);
  const Index n = 2048, hop = 512;
  for (const Index frames : {1, 2, 3, 4, 5, 7, 8, 9})  // groups of four
    add(std::to_string(frames) + " frames", {n, hop, false}, n + hop * (frames - 1), 2);
  for (const Index extra : {-1, 1}) add("hop border", {n, hop, true}, 8 * hop + extra);
  add("one frame exactly", {n, hop, false}, n);
  add("hop beyond the frame", {n, 3000, true}, 20000, 2);
  add("hop 1", {n, 1, true}, 300);
  add("window 1200", {n, hop, true}, 9000, 1, Signal::noise, 1200);
  add("window 1", {n, hop, true}, 5000, 1, Signal::noise, 1);
  add("window 2047", {n, hop, true, PadMode::edge}, 5000, 1, Signal::noise, 2047);
  for (const auto mode : {PadMode::constant, PadMode::edge, PadMode::linear_ramp, PadMode::reflect,
                          PadMode::symmetric, PadMode::empty})
    for (const Index samples : {1, 2, 700, 1023, 1024, 1025, 2047, 2049, 6001})
      add("pad mode " + std::to_string(static_cast<int>(mode)) + " of " + std::to_string(samples),
          {n, hop, true, mode}, samples);
  for (const auto signal : {Signal::silence, Signal::impulse, Signal::denormal, Signal::square})
    add("signal " + std::to_string(static_cast<int>(signal)), {n, hop, true}, 12000, 2, signal);
  // Streamed in several pieces of one clip, and of several clips.
  add("long", {n, hop, true, PadMode::reflect}, 1'500'001, 1, Signal::music);
  add("many", {n, hop, true, PadMode::reflect}, 60'001, 40, Signal::music);
  add("7 channels", {n, hop, true, PadMode::reflect}, 6151, 7, Signal::music);
  return cases;
}

namespace {

template <class Op>
OpCase<Op> audio_case(const FrameCase& from) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(from.signal, from.batch, from.samples);
  data->window = dsp::test::hann(from.win_length);
  if (from.win_length == 1) data->window = {1.0};
  OpCase<Op> result{from.name, {}, {}, data};
  static_cast<ops::FrameParams&>(result.params) = from.params;
  result.in.y = {data->values.data(), from.batch, 1, from.samples};
  result.in.window = data->window;
  return result;
}

FrameCase long_case(Index n_fft = 2048) {
  return {"", {n_fft, n_fft / 4, true}, n_fft, Signal::music, 2, 22050};
}

std::shared_ptr<const dsp::Basis> basis_of(const dsp::DenseMatrix& matrix) {
  return std::make_shared<const dsp::Basis>(matrix.values.data(), matrix.rows, matrix.cols);
}

std::shared_ptr<const dsp::Basis> mel(Index n_fft, Index n_mels, double fmin = 0) {
  return basis_of(dsp::make_mel_filters({.n_fft = n_fft, .n_mels = n_mels, .fmin = fmin}));
}

std::shared_ptr<const dsp::Basis> chroma(Index n_fft, Index n_chroma = 12) {
  return basis_of(dsp::make_chroma_filters({.n_fft = n_fft, .n_chroma = n_chroma}));
}

// Every bin in every band, the last one too, with both signs.
std::shared_ptr<const dsp::Basis> full(Index n_bands, Index n_bins) {
  dsp::DenseMatrix matrix{n_bands, n_bins, {}};
  const auto noise = dsp::test::noise<double>(n_bands * n_bins, 5);
  matrix.values.assign(noise.begin(), noise.end());
  return basis_of(matrix);
}

template <class Op>
OpCase<Op> band_case(std::string name, const FrameCase& from,
                     std::shared_ptr<const dsp::Basis> basis) {
  auto result = audio_case<Op>(from);
  result.name = std::move(name);
  result.in.basis = std::move(basis);
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Stft>> op_cases() {
  std::vector<OpCase<ops::Stft>> cases;
  for (const FrameCase& each : frame_cases()) cases.push_back(audio_case<ops::Stft>(each));
  for (const Index n_fft : {128, 1000, 2047, 16384}) {
    cases.push_back(audio_case<ops::Stft>(
        {"no kernel for " + std::to_string(n_fft), {n_fft, 128}, n_fft, Signal::noise, 1, 20000}));
    cases.back().on_gpu = false;
  }
  return cases;
}

template <>
std::vector<OpCase<ops::FilterbankSpectrogram>> op_cases() {
  using Op = ops::FilterbankSpectrogram;
  std::vector<OpCase<Op>> cases;
  for (const FrameCase& each : frame_cases())
    cases.push_back(band_case<Op>(each.name, each, mel(each.params.n_fft, 40)));
  for (const Index n_fft : {256, 320, 400, 512, 600, 800, 1024, 1200, 2048, 4096, 8192})
    for (const Index n_mels :
         n_fft == 512 ? std::vector<Index>{1, 128, 129, 229} : std::vector<Index>{128})
      cases.push_back(band_case<Op>(std::to_string(n_mels) + " of " + std::to_string(n_fft),
                                    long_case(n_fft), mel(n_fft, n_mels)));
  cases.push_back(band_case<Op>("512 bands", long_case(), mel(2048, 512)));
  cases.push_back(band_case<Op>("513 bands", long_case(512), mel(512, 513)));
  cases.back().on_gpu = false;
  cases.push_back(band_case<Op>("481 bands", long_case(1200), mel(1200, 481)));
  cases.back().on_gpu = false;
  cases.push_back(band_case<Op>("full 129 of 400", long_case(400), full(129, 201)));
  for (const Index n_bands : {1, 12, 129})
    cases.push_back(
        band_case<Op>("full " + std::to_string(n_bands), long_case(256), full(n_bands, 129)));
  for (const double power : {0.5, 1.0, 1.7, 3.0, 4.0}) {
    cases.push_back(
        band_case<Op>("power " + std::to_string(power), long_case(256), mel(256, 40, 30)));
    cases.back().params.power = power;
    if (power < 1)
      cases.back().tolerance = 1e-4;  // a root magnifies the rounding of near-empty bins
  }
  for (auto& each : cases)
    each.rounding =
        each.params.power < 1
            ? Rounding{5e-6, 1e-3,
                       "power below 1: a root magnifies the rounding of near-empty bins"}
            : Rounding{5e-7, 1e-5, "powers are summed in float32"};
  return cases;
}

template <>
std::vector<OpCase<ops::ChromaSpectrogram>> op_cases() {
  using Op = ops::ChromaSpectrogram;
  std::vector<OpCase<Op>> cases;
  for (const Index n_fft : {256, 400, 512, 1024, 2048, 4096, 8192})
    cases.push_back(band_case<Op>(std::to_string(n_fft), long_case(n_fft), chroma(n_fft)));
  cases.push_back(band_case<Op>("36 classes", long_case(), chroma(2048, 36)));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double norm : {infinity, -infinity, 0.0, 1.0, 2.0, 2.5}) {
    cases.push_back(band_case<Op>("norm " + std::to_string(norm), long_case(256), chroma(256)));
    cases.back().params.norm = norm;
  }
  cases.push_back(band_case<Op>("no norm", long_case(256), chroma(256)));
  cases.back().params.normalize = false;
  for (const auto signal : {Signal::silence, Signal::impulse, Signal::square})
    cases.push_back(band_case<Op>("signal " + std::to_string(static_cast<int>(signal)),
                                  {"", {}, 2048, signal, 2, 15000}, chroma(2048)));
  cases.push_back(band_case<Op>("long", {"", {}, 2048, Signal::music, 1, 1'500'001}, chroma(2048)));
  cases.push_back(band_case<Op>("short", {"", {}, 2048, Signal::noise, 7, 1}, chroma(2048)));
  for (auto& each : cases)
    each.rounding = {5e-7, 1e-5, "powers are summed in float32, and divided by the norm"};
  // One sample, under the end of a window: its energy is next to nothing.
  cases.back().rounding.tones = unbounded;
  cases.back().rounding.why = "of one sample, whose energy is next to nothing";
  return cases;
}

template <>
std::vector<OpCase<ops::Cepstrum>> op_cases() {
  using Op = ops::Cepstrum;
  std::vector<OpCase<Op>> cases;
  const auto add = [&](std::string name, const FrameCase& from, auto&& change) {
    cases.push_back(band_case<Op>(std::move(name), from, mel(from.params.n_fft, 128)));
    change(cases.back().params);
  };
  const auto nothing = [](Op::Params&) {};
  for (const Index n_fft : {400, 512, 1024, 2048, 4096})
    add(std::to_string(n_fft), long_case(n_fft), nothing);
  for (const auto signal : {Signal::noise, Signal::silence, Signal::impulse, Signal::denormal})
    add("signal " + std::to_string(static_cast<int>(signal)), {"", {}, 2048, signal, 7, 12345},
        nothing);
  for (const Index rows : {1, 13, 40, 128, 200})
    add(std::to_string(rows) + " rows", long_case(), [=](auto& p) { p.n_mfcc = rows; });
  for (const Index type : {1, 2, 3, 4})
    for (const auto norm : {dsp::DctNorm::backward, dsp::DctNorm::ortho}) {
      add("type " + std::to_string(type), long_case(), [=](auto& p) {
        p.dct_type = type;
        p.norm = norm;
        p.lifter = 22;
      });
    }
  for (const double top_db : {0.0, 20.0, std::numeric_limits<double>::infinity()})
    add("top_db " + std::to_string(top_db), long_case(), [=](auto& p) { p.top_db = top_db; });
  add("power 1", long_case(), [](auto& p) { p.power = 1; });
  add("long", {"", {}, 2048, Signal::music, 1, 1'500'001}, nothing);
  add("many", {"", {}, 2048, Signal::music, 40, 60'001}, nothing);
  // Coefficients are sums over all levels: the rounding of a quiet band's level goes into each.
  for (auto& each : cases) {
    each.of_one_scale = true;
    each.rounding = {1e-5, 5e-3, "the level of a band that is nearly empty is in each coefficient"};
  }
  return cases;
}

template <>
std::vector<OpCase<ops::OnsetStrength>> op_cases() {
  using Op = ops::OnsetStrength;
  std::vector<OpCase<Op>> cases;
  const auto add = [&](std::string name, const FrameCase& from, auto&& change) {
    cases.push_back(band_case<Op>(std::move(name), from, mel(from.params.n_fft, 128)));
    change(cases.back().params);
  };
  const auto nothing = [](Op::Params&) {};
  // Levels of near-empty bands are as exact as a float transform is, so the signals have none.
  const FrameCase noisy{"", {}, 2048, Signal::noise, 2, 22050};
  for (const auto signal : {Signal::noise, Signal::silence, Signal::impulse, Signal::square})
    add("signal " + std::to_string(static_cast<int>(signal)), {"", {}, 2048, signal, 7, 12345},
        nothing);
  add("1 frame", {"", {}, 2048, Signal::noise, 2, 300}, nothing);
  add("long", {"", {}, 2048, Signal::noise, 1, 1'500'001}, nothing);
  add("many", {"", {}, 2048, Signal::noise, 40, 60'001}, nothing);
  for (const Index lag : {1, 2, 5, 1000})
    add("lag " + std::to_string(lag), noisy, [=](auto& p) { p.lag = p.shift = lag; });
  for (const Index size : {2, 3, 8, 300})
    add("max_size " + std::to_string(size), noisy, [=](auto& p) { p.max_size = size; });
  add("all bands", noisy, [](auto& p) { p.aggregate = dsp::FluxAggregate::none; });
  add("not trimmed", noisy, [](auto& p) { p.trim = false, p.shift = 4; });
  add("no limit", noisy, [](auto& p) { p.top_db = std::numeric_limits<double>::infinity(); });
  add("median", noisy, [](auto& p) { p.aggregate = dsp::FluxAggregate::median; });
  for (auto& each : cases)
    each.rounding = {2e-6, 1e-3,
                     "differences of levels, those of bands that are nearly empty among them"};
  return cases;
}

}  // namespace metalmom::test
