// Cases of constant-Q transforms. Their filters are noise: they see all of the band, also where a
// decimation lets the last of it through.
#include <algorithm>
#include <string>
#include <utility>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

struct BankShape {
  Index octaves = 2, bins = 2, n_fft = 32, hop_length = 8;
  bool halved = true;  // the rate, from an octave to the next
  Index piece = 1024;  // samples of a piece of the filters
};

std::shared_ptr<const dsp::OctaveBank> bank_of(const BankShape& shape) {
  auto bank = std::make_shared<dsp::OctaveBank>();
  bank->n_bins = shape.octaves * shape.bins;
  for (Index octave = 0; octave < shape.octaves; ++octave) {
    const Index rows = 2 * shape.bins;
    const auto dense =
        dsp::test::noise<double>(rows * shape.n_fft, 5 + static_cast<std::uint64_t>(octave));
    std::vector<std::shared_ptr<const dsp::Basis>> filters;
    for (Index first = 0; first < shape.n_fft; first += shape.piece) {
      const Index count = std::min(shape.piece, shape.n_fft - first);
      std::vector<double> part;
      for (Index row = 0; row < rows; ++row)
        for (Index i = 0; i < count; ++i)
          part.push_back(dense.data()[row * shape.n_fft + first + i]);
      filters.push_back(std::make_shared<const dsp::Basis>(part.data(), rows, count));
    }
    const Index halvings = shape.halved ? octave : 0;
    bank->octaves.push_back({halvings, shape.hop_length >> halvings,
                             bank->n_bins - (octave + 1) * shape.bins, std::move(filters)});
  }
  return bank;
}

OpCase<ops::ConstantQ> cqt_case(std::string name, const BankShape& shape, Index batch,
                                Index samples, ops::ConstantQ::Params params = {},
                                Signal signal = Signal::noise) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(signal, batch, samples);
  OpCase<ops::ConstantQ> result{std::move(name), params, {}, data};
  result.in.y = {data->values.data(), batch, 1, samples};
  result.in.bank = bank_of(shape);
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::ConstantQ>> op_cases() {
  std::vector<OpCase<ops::ConstantQ>> cases;
  cases.push_back(cqt_case("two octaves", {}, 3, 2001));
  cases.push_back(
      cqt_case("seven octaves", {7, 12, 256, 256}, 3, 22050, {.early_halvings = 1}, Signal::music));
  cases.push_back(cqt_case("early", {3, 12, 128, 64}, 2, 30001, {.early_halvings = 1}));
  for (const Index bins : {1, 11, 13, 36})
    cases.push_back(cqt_case("bins " + std::to_string(bins), {2, bins, 64, 16}, 2, 3000));
  for (const Index samples : {1, 2, 511, 2048, 2049, 16385})
    cases.push_back(cqt_case("samples " + std::to_string(samples), {4, 3, 64, 32}, 2, samples));
  for (const auto mode : {dsp::PadMode::edge, dsp::PadMode::linear_ramp, dsp::PadMode::reflect,
                          dsp::PadMode::symmetric})
    cases.push_back(cqt_case("padded " + std::to_string(static_cast<int>(mode)), {3, 4, 512, 64}, 2,
                             1501, {.pad_mode = mode}));
  cases.push_back(cqt_case("all at one rate", {3, 5, 100, 37, false}, 2, 5000));
  cases.push_back(cqt_case("long filters in pieces", {1, 3, 5000, 700}, 2, 20000));
  cases.push_back(cqt_case("silence", {2, 12, 256, 64}, 2, 5000, {}, Signal::silence));
  cases.push_back(cqt_case("another filter where there is none", {1, 4, 64, 16}, 2, 3000,
                           {.res_type = dsp::Quality::low}));
  for (auto& [name, shape, samples, params] :
       {std::tuple{"another filter", BankShape{}, Index(2000),
                   ops::ConstantQ::Params{.res_type = dsp::Quality::very_high}},
        {"early by four", BankShape{}, Index(2000), ops::ConstantQ::Params{.early_halvings = 2}},
        {"no samples", BankShape{}, Index(0), ops::ConstantQ::Params{}}}) {
    cases.push_back(cqt_case(name, shape, 1, samples, params));
    cases.back().on_gpu = false;
  }
  for (auto& each : cases)
    each.rounding = {5e-7, 1e-6, "octaves are resampled one after another in float32"};
  return cases;
}

}  // namespace metalmom::test
