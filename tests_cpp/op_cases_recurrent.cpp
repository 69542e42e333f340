// Cases of what goes on from frame to frame: smoothed energies and phases that add up.
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

// Energies of a row rise and fall over six decades, as those of bands do.
OpCase<ops::Pcen> energy_case(std::string name, Index rows, Index frames,
                              const dsp::PcenParams& params = {}) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, rows, frames);
  for (std::size_t i = 0; i < data->values.size(); ++i)
    data->values[i] =
        std::abs(data->values[i]) * std::pow(10.0f, 3.0f * std::sin(0.01f * static_cast<float>(i)));
  data->wide = {1 - params.b};
  OpCase<ops::Pcen> result{std::move(name), params, {}, data};
  result.in.S = {data->values.data(), rows, 1, frames};
  result.in.state = data->wide;
  return result;
}

// A loud and a soft tone in noise: phases that turn steadily, and such that do not.
OpCase<ops::PhaseVocoder> vocoder_case(std::string name, Index batch, Index frames, Index bins,
                                       double step) {
  auto data = std::make_shared<CaseData>();
  const auto noise = dsp::test::noise<float>(2 * batch * frames * bins, 9);
  for (Index i = 0; i < batch * frames * bins; ++i) {
    const Index bin = i % bins, frame = i / bins % frames;
    const auto angle = static_cast<float>(bin * frame) * 0.37f;
    const float size = bin % 3 == 0 ? 50.0f : bin % 3 == 1 ? 1e-3f : 0.0f;
    const auto at = static_cast<std::size_t>(2 * i);
    data->spectrum.emplace_back(noise[at] + size * std::cos(angle),
                                noise[at + 1] + size * std::sin(angle));
  }
  for (double t = 0; t < static_cast<double>(frames); t += step) data->more.push_back(t);
  OpCase<ops::PhaseVocoder> result{std::move(name), {}, {}, data};
  result.in.spectrum = {data->spectrum.data(), batch, frames, bins};
  result.in.t_out = data->more;
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Pcen>> op_cases() {
  std::vector<OpCase<ops::Pcen>> cases;
  cases.push_back(energy_case("default", 40, 300));
  cases.push_back(energy_case("power 0.3", 40, 300, {.power = 0.3}));
  for (const Index frames : {1, 2, 63, 64, 65, 1292})
    for (const Index rows : {1, 31, 33})
      cases.push_back(
          energy_case(std::to_string(rows) + " x " + std::to_string(frames), rows, frames));
  cases.push_back(energy_case("logarithm", 5, 500, {.power = 0}));
  cases.push_back(energy_case("no bias", 5, 500, {.bias = 0, .power = 0.25}));
  cases.push_back(energy_case("no gain", 5, 500, {.gain = 0, .power = 1}));
  cases.push_back(energy_case("no memory", 5, 500, {.b = 1}));
  cases.push_back(energy_case("nothing but memory", 5, 500, {.b = 0}));
  // What a step changes is lost in a float32 level unless it is kept.
  cases.push_back(energy_case("long memory", 5, 3000, {.b = 1e-5}));
  cases.push_back(energy_case("small eps", 5, 500, {.eps = 1e-30}));
  cases.push_back(energy_case("eps below float32", 5, 500, {.eps = 1e-40}));
  cases.back().on_gpu = false;

  cases.push_back(energy_case("states and a reference", 70, 200));
  auto data = std::make_shared<CaseData>(*cases.back().data);
  data->magnitudes = make_signal(Signal::music, 70, 200);
  for (float& value : data->magnitudes) value = std::abs(value);
  const auto states = dsp::test::noise<double>(70, 3);
  data->wide.assign(states.begin(), states.end());
  for (double& state : data->wide) state = std::abs(state);
  cases.back().in.S.data = data->values.data();
  cases.back().in.ref = {data->magnitudes.data(), 70, 1, 200};
  cases.back().in.state = data->wide;
  cases.back().data = data;

  cases.push_back(energy_case("silence", 3, 100));
  auto silent = std::make_shared<CaseData>(*cases.back().data);
  std::fill(silent->values.begin(), silent->values.end(), 0.0f);
  cases.back().in.S.data = silent->values.data();
  cases.back().in.state = silent->wide;
  cases.back().data = silent;
  for (auto& each : cases)  // what came before counts also where no finite number shows it
    each.nan_spreads = each.params.gain == 0 || each.params.b == 0 || each.params.b == 1;
  cases.back().nan_spreads = true;
  return cases;
}

template <>
std::vector<OpCase<ops::PhaseVocoder>> op_cases() {
  using Op = ops::PhaseVocoder;
  std::vector<OpCase<Op>> cases;
  cases.push_back(vocoder_case("slower", 3, 40, 129, 0.7));
  cases.push_back(vocoder_case("faster", 3, 40, 129, 1.3));
  for (const Index bins : {1, 31, 32, 33, 129, 1025})
    cases.push_back(vocoder_case("bins " + std::to_string(bins), 2, 20, bins, 0.5));
  for (const Index frames : {2, 3, 64, 65, 66})
    for (const double step : {0.25, 1.0, 2.5})
      cases.push_back(vocoder_case(std::to_string(frames) + " frames by " + std::to_string(step), 2,
                                   frames, 40, step));
  cases.push_back(vocoder_case("30 s", 1, 1292, 65, 0.8));
  // Angles are good to 1e-7 of a radian, and 1,615 sums of two of them to the root of as many.
  for (auto& each : cases) each.tolerance = 1e-5;

  cases.push_back(vocoder_case("times in any order", 2, 30, 65, 1));
  auto mixed = std::make_shared<CaseData>(*cases.back().data);
  mixed->more = {29.5, 3, 3, 3.999, 0, 28, 29, 12.25, 1e-9, 28.9999999};
  cases.back().in.spectrum.data = mixed->spectrum.data();
  cases.back().in.t_out = mixed->more;
  cases.back().data = mixed;

  cases.push_back(vocoder_case("zeros, axes and extremes", 1, 6, 11, 0.5));
  auto odd = std::make_shared<CaseData>(*cases.back().data);
  const float big = 1e30f;
  const std::complex<float> some[] = {
      {0, 0}, {-0.0f, 0}, {0, -0.0f}, {-0.0f, -0.0f},    {1, 0},     {-1, 0}, {0, 1}, {0, -1},
      {1, 1}, {-1, -1},   {big, big}, {1e-30f, -1e-30f}, {-1, -0.0f}};
  for (std::size_t i = 0; i < odd->spectrum.size(); ++i)
    odd->spectrum[i] = some[i * 7 % std::size(some)];
  cases.back().in.spectrum.data = odd->spectrum.data();
  cases.back().in.t_out = odd->more;
  cases.back().data = odd;

  cases.push_back(vocoder_case("magnitudes of the caller's own", 3, 40, 129, 1.3));
  auto given = std::make_shared<CaseData>(*cases.back().data);
  const auto n_times = std::ssize(given->more);
  const auto magnitudes = dsp::test::noise<double>(3 * n_times * 129, 1);
  given->wide.assign(magnitudes.begin(), magnitudes.end());
  cases.back().in.spectrum.data = given->spectrum.data();
  cases.back().in.t_out = given->more;
  cases.back().in.magnitudes = {given->wide.data(), 3, n_times, 129};
  cases.back().data = given;
  cases.back().on_gpu = false;
  for (auto& each : cases)
    each.nan_spreads = true;  // each frame adds to the phase of those before it
  return cases;
}

}  // namespace metalmom::test
