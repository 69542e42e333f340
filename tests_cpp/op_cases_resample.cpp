// Cases of signals at another rate.
#include <string>

#include "op_cases.hpp"

namespace metalmom::test {

namespace {

OpCase<ops::Resample> rate_case(std::string name, double from, double to, Index samples,
                                Index batch = 2, Index size = -1) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, batch, samples);
  OpCase<ops::Resample> result{std::move(name), {from, to}, {}, data};
  result.params.size = size;
  result.in.y = {data->values.data(), batch, 1, samples};
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Resample>> op_cases() {
  std::vector<OpCase<ops::Resample>> cases;
  constexpr double rates[][2] = {{22050, 16000}, {16000, 22050}, {44100, 22050}, {22050, 44100},
                                 {48000, 44100}, {44100, 48000}, {44100, 16000}, {48000, 16000},
                                 {16000, 48000}, {3, 2},         {32000, 24000}};
  for (const auto& [from, to] : rates)
    cases.push_back(rate_case(
        std::to_string(static_cast<Index>(from)) + " to " + std::to_string(static_cast<Index>(to)),
        from, to, 9001));
  for (const Index samples : {1, 2, 3, 50, 440, 441, 442, 1000})
    cases.push_back(rate_case(std::to_string(samples) + " samples", 22050, 16000, samples));
  for (const Index size : {1, 5, 600, 800, 900})
    cases.push_back(rate_case("size " + std::to_string(size), 22050, 16000, 1000, 3, size));
  for (const auto quality : {dsp::Quality::quick, dsp::Quality::low, dsp::Quality::medium}) {
    cases.push_back(rate_case("quality " + std::to_string(static_cast<int>(quality)), 2, 1, 5000));
    cases.back().params.quality = quality;
  }
  cases.push_back(rate_case("long", 22050, 16000, 1'500'001, 1));
  cases.push_back(rate_case("many", 22050, 11025, 60'001, 40));
  for (const auto& [from, to] :
       {std::pair{22050.0, 16000.5}, {22050.0, 22051.0}, {44100.0, 8000.0}}) {
    cases.push_back(rate_case("no small fraction, or filters of their own at the beginning", from,
                              to, 3000, 1));
    cases.back().on_gpu = false;
  }
  for (auto& each : cases) each.nan_spreads = true;  // by transforms of soxr; `resample` refuses it
  return cases;
}

}  // namespace metalmom::test
