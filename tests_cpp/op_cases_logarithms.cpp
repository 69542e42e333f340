// Cases of logarithms of bands.
//
// Tolerances are of the largest logarithm. A band of noise, of one bin perhaps, is up to 50 dB
// below the loudest of its frame, and music has bands 90 dB below it. The rounding of the device's
// float32 transform goes with the loudest, and is 3e-5 or 1e-3 of these bands.
#include <numbers>
#include <string>
#include <utility>

#include "dsp/bases.hpp"
#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

constexpr double of_noise = 2e-5, of_music = 1e-4;

template <class Op>
class Cases {
 public:
  typename Op::Params& add(std::string name, Index n_fft, Signal signal, Index batch, Index samples,
                           Index n_bands = 40) {
    auto data = std::make_shared<CaseData>();
    data->values = make_signal(signal, batch, samples);
    data->window = dsp::test::hann(n_fft);
    OpCase<Op>& made = all.emplace_back(std::move(name), typename Op::Params{},
                                        typename Op::template In<float>{}, data);
    made.tolerance = signal == Signal::music ? of_music : of_noise;
    made.of_one_scale = true;
    made.in.y = {data->values.data(), batch, 1, samples};
    made.in.window = data->window;
    const dsp::DenseMatrix mel = dsp::make_mel_filters({.n_fft = n_fft, .n_mels = n_bands});
    made.in.basis = std::make_shared<const dsp::Basis>(mel.values.data(), mel.rows, mel.cols);
    made.params.n_fft = n_fft;
    made.params.hop_length = 2 * (n_fft / 5);
    made.params.center = false;
    made.params.amin = 1e-9;
    return made.params;
  }

  std::vector<OpCase<Op>> all;
};

// As of speech recognition: short frames in longer transforms.
void prepare(ops::LogBandParams& params, Index frame_length) {
  params.frame_length = frame_length;
  params.remove_mean = true;
  params.preemphasis = 0.97;
}

// As of Whisper: decades, at most a range below the clip's loudest, without the last frame.
void limit(ops::LogBandParams& params) {
  params.center = true;
  params.pad_mode = dsp::PadMode::reflect;
  params.scale = 0.25 / std::numbers::ln10;
  params.shift = 1;
  params.range = 2;
  params.drop_last = true;
}

// Few combinations of what has code of its own in the shader: software devices take a second for
// each.
template <class Op>
Cases<Op> common_cases() {
  Cases<Op> cases;
  prepare(cases.add("300 of 512", 512, Signal::noise, 3, 9001), 300);
  limit(cases.add("a range", 400, Signal::noise, 3, 9001));
  prepare(cases.add("shorter than a frame", 512, Signal::noise, 3, 299), 300);
  cases.add("129 bands", 512, Signal::noise, 3, 9001, 129);
  prepare(cases.add("music", 512, Signal::music, 2, 9001), 400);
  prepare(cases.add("long", 512, Signal::music, 1, 1'500'001), 400);
  limit(cases.add("a range of many", 400, Signal::music, 40, 60001));
  cases.add("no size of a device", 500, Signal::noise, 2, 9001);
  cases.all.back().on_gpu = false;
  return cases;
}

}  // namespace

template <>
std::vector<OpCase<ops::LogBands>> op_cases() {
  auto cases = common_cases<ops::LogBands>();
  cases.add("512", 512, Signal::noise, 3, 9001);
  for (const Index n_fft : {400, 2048})
    prepare(cases.add("prepared, " + std::to_string(n_fft), n_fft, Signal::noise, 3, 9001),
            n_fft - 37);
  cases.add("an odd hop", 512, Signal::noise, 2, 9001).hop_length = 101;
  {
    auto& params = cases.add("over the ends", 512, Signal::noise, 2, 2001);
    prepare(params, 401);
    params.center = true;
    params.pad_mode = dsp::PadMode::edge;
    params.hop_length = 63;
  }
  {
    auto& params = cases.add("magnitudes and an offset", 512, Signal::noise, 2, 9001, 1);
    params.power = 1, params.amin = 0, params.offset = 0.01;
  }
  {
    auto& params = cases.add("bands alone", 512, Signal::noise, 2, 9001);
    params.power = 1.7, params.logarithm = false;
  }
  cases.add("a mean alone", 512, Signal::square, 2, 9001).remove_mean = true;
  cases.add("no mean", 512, Signal::noise, 2, 9001).preemphasis = 0.5;
  cases.add("silence", 512, Signal::silence, 2, 9001).patch = 7;
  limit(cases.add("silence and a range", 400, Signal::silence, 2, 9001));
  return std::move(cases.all);
}

template <>
std::vector<OpCase<ops::LogBandsByFrame>> op_cases() {
  return common_cases<ops::LogBandsByFrame>().all;
}

template <>
std::vector<OpCase<ops::LogBandsInDouble>> op_cases() {
  auto cases = common_cases<ops::LogBandsInDouble>().all;
  cases.resize(4);
  return cases;
}

}  // namespace metalmom::test
