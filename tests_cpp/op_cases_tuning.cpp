// Cases of the tuning estimate. Votes differ a little between CPU and GPU (gpu/kernels/tuning.hpp),
// so these are signals of which one cell is clearly the most frequent, or cells that are wide.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

// Tones on a scale that is a tenth of a semitone sharp, over a little noise.
void play_scale(std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto t = static_cast<double>(i);
    const double note = std::floor(t / 3000);
    const double frequency = 440 * std::exp2((std::fmod(5 * note, 24) + 0.1) / 12);
    values[i] = static_cast<float>(
        0.5 * std::sin(2 * std::numbers::pi * frequency * t / dsp::defaults::sr) +
        1e-3 * values[i]);
  }
}

OpCase<ops::TuningEstimate> tuning_case(const FrameCase& from) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, from.batch, from.samples);
  if (from.signal == Signal::silence) std::ranges::fill(data->values, 0.0f);
  if (from.signal == Signal::music) play_scale(data->values);
  data->window = dsp::test::hann(from.win_length);
  OpCase<ops::TuningEstimate> result{from.name, {}, {}, data};
  static_cast<ops::FrameParams&>(result.params) = from.params;
  result.params.bin_spacing = dsp::defaults::sr / static_cast<double>(from.params.n_fft);
  result.in.y = {data->values.data(), from.batch, 1, from.samples};
  result.in.window = data->window;
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::TuningEstimate>> op_cases() {
  std::vector<OpCase<ops::TuningEstimate>> cases;
  const auto add = [&](std::string name, ops::FrameParams params, Signal signal, Index batch,
                       Index samples) -> ops::TuningEstimate::Params& {
    cases.push_back(tuning_case({std::move(name), params, params.n_fft, signal, batch, samples}));
    return cases.back().params;
  };
  for (const Index n : {256, 400, 512, 1024, 2048, 4096, 8192}) {
    const std::string size = std::to_string(n);
    add("scale, " + size, {n, n / 4, true}, Signal::music, 3, 40000);
    add("noise, " + size, {n, n / 2, true}, Signal::noise, 2, 30001).resolution = 0.25;
  }
  add("silence", {2048, 512, true}, Signal::silence, 2, 9000);
  add("shorter than a frame", {2048, 512, true}, Signal::music, 1, 700);
  add("magnitudes", {2048, 512, true}, Signal::music, 1, 40000).power = 1;
  add("another exponent", {2048, 512, true}, Signal::music, 1, 40000).power = 1.5;
  add("all bins", {1024, 256, true}, Signal::music, 1, 40000).fmax = 1e9;
  add("no bins", {1024, 256, true}, Signal::music, 1, 40000).fmin = 1e9;
  add("a scale of 24", {4096, 512, true}, Signal::music, 1, 40000).bins_per_octave = 24;
  add("many cells", {2048, 512, true}, Signal::silence, 1, 9000).resolution = 1e-4;
  cases.back().on_gpu = false;
  add("no kernel for 1000", {1000, 250, true}, Signal::music, 1, 9000);
  cases.back().on_gpu = false;
  return cases;
}

}  // namespace metalmom::test
