// Cases of convolution: blocks, partitions and tiles of blocks, and what is not full at their ends.
#include <cmath>
#include <string>

#include "op_cases.hpp"

namespace metalmom::test {

namespace {

using Mode = ops::ConvolveMode;

OpCase<ops::Convolve> convolve_case(Index samples, Index taps, Mode mode = Mode::full,
                                    Index batch = 1, bool own = false,
                                    Signal signal = Signal::noise) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(signal, batch, samples);
  const Index responses = own ? batch : 1;
  data->magnitudes = make_signal(Signal::noise, responses, taps);
  for (Index i = 0; i < responses * taps; ++i)
    data->magnitudes[static_cast<std::size_t>(i)] *= static_cast<float>(
        std::exp(-4.0 * static_cast<double>(i % taps) / static_cast<double>(taps)));
  OpCase<ops::Convolve> result{std::to_string(batch) + " x " + std::to_string(samples) +
                                   " samples, " + (own ? "each with " : "") + std::to_string(taps) +
                                   " taps, mode " + std::to_string(static_cast<int>(mode)),
                               {mode},
                               {},
                               data};
  result.in.x = {data->values.data(), batch, 1, samples};
  result.in.h = {data->magnitudes.data(), responses, 1, taps};
  // Of the largest value of the result, which without the ends is a small part of the full one.
  result.tolerance = mode == Mode::full ? 2e-6 : 1e-5;
  result.rounding = {2e-6, 2e-6, "transforms in float32"};
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Convolve>> op_cases() {
  std::vector<OpCase<ops::Convolve>> cases;
  for (const auto mode : {Mode::full, Mode::same, Mode::valid})
    for (const auto& [samples, taps] :
         {std::pair<Index, Index>{1, 1}, {700, 300}, {9, 3000}, {50'021, 9001}, {4097, 20'011}})
      cases.push_back(convolve_case(samples, taps, mode));
  for (const Index taps : {1, 2, 127, 128, 129, 4095, 4096, 4097, 65'536, 65'537})
    cases.push_back(convolve_case(12'289, taps, Mode::full));
  for (const bool own : {false, true}) {
    cases.push_back(convolve_case(3001, 501, Mode::full, 3, own));
    cases.push_back(convolve_case(30'000, 9000, Mode::same, 5, own));
    cases.push_back(convolve_case(40, 7, Mode::full, 300, own));
  }
  // Cut into pieces within a clip, with a short response and one whose pieces overlap much.
  cases.push_back(convolve_case(3'000'001, 100));
  cases.push_back(convolve_case(3'000'001, 70'001, Mode::same));
  cases.push_back(convolve_case(1'440'000, 144'000, Mode::full, 3));
  for (const Signal signal : {Signal::silence, Signal::impulse, Signal::denormal, Signal::square})
    cases.push_back(convolve_case(9000, 5000, Mode::full, 2, false, signal));
  for (const auto method : {ops::ConvolveMethod::direct, ops::ConvolveMethod::fft,
                            ops::ConvolveMethod::overlap_save, ops::ConvolveMethod::partitioned}) {
    cases.push_back(convolve_case(900, 100));
    cases.back().params.method = method;
    cases.back().on_gpu = method == ops::ConvolveMethod::partitioned;
  }
  return cases;
}

}  // namespace metalmom::test
