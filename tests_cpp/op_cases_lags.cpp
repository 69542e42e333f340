// Cases of what starts from autocorrelations of frames: tempograms, periods.
#include <cmath>
#include <limits>
#include <string>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

// Onsets every 40 values, and a little noise.
OpCase<ops::Tempogram> envelope_case(std::string name, Index batch, Index values, Index win_length,
                                     const ops::TempogramParams& params = {}, float scale = 1) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, batch, values);
  for (std::size_t i = 0; i < data->values.size(); ++i)
    data->values[i] = scale * (std::abs(data->values[i]) + (i % 40 == 0 ? 20.0f : 0.0f));
  data->window = dsp::test::hann(win_length);
  if (win_length == 1) data->window = {1.0};
  OpCase<ops::Tempogram> result{std::move(name), params, {}, data};
  result.in.onset_envelope = {data->values.data(), batch, 1, values};
  result.in.window = data->window;
  return result;
}

OpCase<ops::Yin> period_case(const FrameCase& from, Index first, Index last) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(from.signal, from.batch, from.samples);
  OpCase<ops::Yin> result{from.name, {}, {}, data};
  static_cast<ops::FrameParams&>(result.params) = from.params;
  result.params.min_period = first;
  result.params.max_period = last;
  result.in.y = {data->values.data(), from.batch, 1, from.samples};
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Tempogram>> op_cases() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<OpCase<ops::Tempogram>> cases;
  cases.push_back(envelope_case("default", 3, 701, 384));
  cases.push_back(envelope_case("not centred", 3, 701, 384, {false}));
  for (const Index length : {1, 2, 3, 64, 128, 129, 200, 257, 512, 513, 1024, 1025, 2048, 4096})
    cases.push_back(envelope_case("window " + std::to_string(length), 2, 150, length));
  for (const Index values : {1, 2, 7, 8, 9, 63, 64, 65})
    cases.push_back(envelope_case(std::to_string(values) + " values", 2, values, 100));
  for (const Index extra : {0, 1, 7})
    cases.push_back(
        envelope_case("a window and " + std::to_string(extra), 2, 200 + extra, 200, {false}));
  cases.push_back(envelope_case("as it is", 2, 300, 200, {true, false}));
  for (const double norm : {1.0, 2.0, 3.5})
    cases.push_back(envelope_case("norm " + std::to_string(norm), 2, 300, 200, {true, true, norm}));
  for (const double norm : {0.0, 0.5, -infinity}) {
    cases.push_back(envelope_case("norm " + std::to_string(norm), 1, 100, 50, {true, true, norm}));
    cases.back().on_gpu = false;
    // Counts what is not zero, and divides by the smallest.
    cases.back().rounding = {unbounded, unbounded,
                             "norm of 0, 0.5 or -inf: depends on the lags that cancel"};
  }
  // Squares of these are beyond float32.
  for (const float scale : {1e-25f, 1e25f}) {
    cases.push_back(envelope_case("times " + std::to_string(scale), 2, 300, 200, {}, scale));
    if (scale < 1)
      cases.back().rounding = {1e-7, unbounded,
                               "of values of 1e-25: quiet ones are below the normal numbers"};
  }
  cases.push_back(envelope_case("silence", 2, 300, 200, {}, 0));
  cases.push_back(envelope_case("long", 1, 30'001, 64));
  cases.push_back(envelope_case("many", 60, 431, 100));
  cases.push_back(envelope_case("window 4097", 1, 50, 4097));
  cases.back().on_gpu = false;
  return cases;
}

template <>
std::vector<OpCase<ops::Yin>> op_cases() {
  std::vector<OpCase<ops::Yin>> cases;
  const auto add = [&](std::string name, ops::FrameParams params, Index first, Index last,
                       Index samples, Index batch = 2, Signal signal = Signal::music) {
    cases.push_back(period_case({std::move(name), params, 0, signal, batch, samples}, first, last));
  };
  add("default", {2048, 512, true}, 10, 340, 22050);
  add("noise", {2048, 512, true}, 10, 340, 22050, 3, Signal::noise);
  for (const Index length : {150, 256, 400, 500, 1000, 2000, 2047, 3000, 4096})
    add("frames of " + std::to_string(length), {length, length / 4, true}, 20,
        std::min<Index>(length - 1, 130), 5 * length + 3);
  add("all periods", {300, 75, true}, 1, 299, 3000);
  add("all periods of long frames", {4096, 1000, true}, 1, 4095, 12000);
  add("two periods", {1000, 300, true}, 100, 101, 5000);
  for (const auto mode : {dsp::PadMode::edge, dsp::PadMode::linear_ramp, dsp::PadMode::reflect,
                          dsp::PadMode::symmetric, dsp::PadMode::empty})
    for (const Index samples : {1500, 6001})
      add("pad mode " + std::to_string(static_cast<int>(mode)), {2048, 512, true, mode}, 10, 340,
          samples, 1);
  for (const Index frames : {1, 2, 3, 4, 5})
    add(std::to_string(frames) + " frames", {200, 50, false}, 5, 55, 200 + 50 * (frames - 1));
  add("odd hop", {2048, 333, true}, 10, 340, 9001);
  add("silence", {2048, 512, true}, 10, 340, 12000, 2, Signal::silence);
  add("long", {2048, 512, true, dsp::PadMode::reflect}, 10, 340, 1'500'001, 1);
  add("many", {2048, 512, true}, 10, 340, 40'001, 40);
  add("frames and periods of more than 8,192 samples", {8000, 2000, true}, 10, 340, 20000);
  cases.back().on_gpu = false;
  for (auto& each : cases) each.rounding = {5e-7, unbounded, "a constant has no period"};
  return cases;
}

}  // namespace metalmom::test
