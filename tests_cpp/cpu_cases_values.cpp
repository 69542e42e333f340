// Cases of the ops of core, cqt and effects that have no GPU kernel.
#include <cmath>

#include "cpu_cases.hpp"
#include "dsp/bases.hpp"

namespace metalmom::test {

template <>
std::vector<OpCase<ops::Phasors>> op_cases() {
  return CpuCases<ops::Phasors>().add("noise", [](auto& data, auto& in, auto&) {
    in.S = positive_of(data, 2, 37, 65);
    in.turns = wide_of(data.wide, 2, 65, 37);
    for (double& turns : data.wide) turns = std::abs(turns);
  });
}

template <>
std::vector<OpCase<ops::Reassign>> op_cases() {
  return CpuCases<ops::Reassign>().add("audio", [](auto& data, auto& in, auto& params) {
    params.n_fft = 256, params.hop_length = 64, params.duration = 0.2;
    in.y = signals_of(data, 2, 5000);
    in.window = window_of(data, 256);
    data.wide = data.more = data.window;
    in.slope = data.wide;
    in.weighted = data.more;
  });
}

template <>
std::vector<OpCase<ops::Autocorrelate>> op_cases() {
  return CpuCases<ops::Autocorrelate>()
      .add("all lags", [](auto& data, auto& in, auto&) { in.y = signals_of(data, 3, 3000); })
      .add("some lags", [](auto& data, auto& in, auto& params) {
        in.y = signals_of(data, 7, 1000);
        params.max_size = 50;
      });
}

template <>
std::vector<OpCase<ops::SlidingSums>> op_cases() {
  return CpuCases<ops::SlidingSums>().add("nine", [](auto& data, auto& in, auto&) {
    in.x = signals_of(data, 20, 501);
    data.weights = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    in.weights = data.weights;
  });
}

template <>
std::vector<OpCase<ops::Lpc>> op_cases() {
  return CpuCases<ops::Lpc>()
      .add("order 16",
           [](auto& data, auto& in, auto& params) {
             in.y = signals_of(data, 5, 4000, Signal::noise);
             params.order = 16;
           })
      .rounding(
          {1e-7, unbounded, "tones and constants have fewer coefficients than are asked for"});
}

template <>
std::vector<OpCase<ops::Nnls>> op_cases() {
  return CpuCases<ops::Nnls>()
      .add("mel",
           [](auto& data, auto& in, auto& params) {
             const dsp::DenseMatrix mel = dsp::make_mel_filters({.n_fft = 256, .n_mels = 20});
             data.wide = mel.values;
             in.A = {data.wide.data(), 1, mel.rows, mel.cols};
             in.start = in.A;
             in.B = positive_of(data, 2, mel.rows, 70);
             params.maxiter = 30;
             params.block_columns = 16;
           })
      .nan_spreads();
}

template <>
std::vector<OpCase<ops::MuCompress>> op_cases() {
  return CpuCases<ops::MuCompress>().add(
      "noise", [](auto& data, auto& in, auto&) { in.x = signals_of(data, 3, 70'001); });
}

template <>
std::vector<OpCase<ops::MuQuantize>> op_cases() {
  return CpuCases<ops::MuQuantize>()
      .add("noise",
           [](auto& data, auto& in, auto&) {
             in.x = signals_of(data, 3, 70'001);
             for (int i = 0; i <= 256; ++i) data.wide.push_back(i / 128.0 - 1);
             in.edges = data.wide;
           })
      .rounding({1e-7, 0.0079, "one step of 255"});
}

template <>
std::vector<OpCase<ops::MuExpand>> op_cases() {
  return CpuCases<ops::MuExpand>().add(
      "noise", [](auto& data, auto& in, auto&) { in.x = signals_of(data, 3, 70'001); });
}

template <>
std::vector<OpCase<ops::SparseRows>> op_cases() {
  return CpuCases<ops::SparseRows>()
      .add("a quarter",
           [](auto& data, auto& in, auto& params) {
             in.magnitudes = positive_of(data, 1, 40, 100);
             params.quantile = 0.25;
           })
      .nan_spreads();
}

template <>
std::vector<OpCase<ops::Spline>> op_cases() {
  return CpuCases<ops::Spline>().add("every third", [](auto& data, auto& in, auto&) {
    in.y = signals_of(data, 3, 500);
    for (int i = 0; i < 1400; ++i) data.wide.push_back(i / 3.0);
    in.positions = data.wide;
  });
}

template <>
std::vector<OpCase<ops::BandEnergies>> op_cases() {
  return CpuCases<ops::BandEnergies>().add("ten filters", [](auto& data, auto& in, auto& params) {
    in.y = signals_of(data, 2, 6001);
    for (int filter = 0; filter < 10; ++filter)  // resonances of one section
      for (const double each : {0.1, 0.0, -0.1, 1.0, -1.8 * std::cos(0.2 * (filter + 1)), 0.81})
        data.wide.push_back(each);
    in.sections = data.wide;
    params.edge = 9;
    params.frame_length = 200, params.hop_length = 50.5, params.n_frames = 100;
  });
}

template <>
std::vector<OpCase<ops::OnePole>> op_cases() {
  return CpuCases<ops::OnePole>()
      .add("audio",
           [](auto& data, auto& in, auto&) {
             in.y = signals_of(data, 9, 3000);
             in.start = wide_of(data.wide, 9, 1, 1);
           })
      .nan_spreads();
}

template <>
std::vector<OpCase<ops::ConstantQInverse>> op_cases() {
  return CpuCases<ops::ConstantQInverse>().add("two octaves", [](auto& data, auto& in, auto&) {
    // Two octaves of two bins each, the lower one at half the rate.
    auto bank = std::make_shared<dsp::OctaveBank>();
    bank->n_bins = 4;
    bank->synthesis = true;
    const auto dense = dsp::test::noise<double>(4 * 32);
    const auto filters = std::make_shared<const dsp::Basis>(dense.data(), 32, 4);
    bank->octaves = {{1, 4, 0, {filters}}, {0, 8, 2, {filters}}};
    in.spectrum = spectrum_of(data, 3, 120, 4);
    in.bank = bank;
  });
}

}  // namespace metalmom::test
