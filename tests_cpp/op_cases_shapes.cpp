// Cases of what frames have as single numbers: levels, crossings, shapes of spectra.
#include <string>
#include <utility>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

template <class Op>
OpCase<Op> frame_case(const FrameCase& from) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(from.signal, from.batch, from.samples);
  OpCase<Op> result{from.name, {}, {}, data};
  static_cast<ops::FrameParams&>(result.params) = from.params;
  result.in.y = {data->values.data(), from.batch, 1, from.samples};
  return result;
}

// Frames of samples may have any length.
std::vector<FrameCase> sample_cases() {
  std::vector<FrameCase> cases = frame_cases();
  for (const Index length : {1, 7, 33, 1000, 20000})
    cases.push_back(
        {"frames of " + std::to_string(length), {length, 64, true}, 0, Signal::noise, 2, 9001});
  return cases;
}

OpCase<ops::SpectralShape> shape_case(const FrameCase& from, dsp::ShapeParams shape = {}) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(from.signal, from.batch, from.samples);
  data->window = dsp::test::hann(from.win_length);
  const Index n_bins = from.params.n_fft / 2 + 1;
  // The frequencies lie behind the window.
  for (Index k = 0; k < n_bins; ++k)
    data->window.push_back(22050.0 * static_cast<double>(k) /
                           static_cast<double>(from.params.n_fft));
  OpCase<ops::SpectralShape> result{from.name, {}, {}, data};
  static_cast<ops::FrameParams&>(result.params) = from.params;
  static_cast<dsp::ShapeParams&>(result.params) = shape;
  result.in.y = {data->values.data(), from.batch, 1, from.samples};
  const std::span all(data->window);
  result.in.window = all.first(static_cast<std::size_t>(from.win_length));
  result.in.freq = all.last(static_cast<std::size_t>(n_bins));
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Rms>> op_cases() {
  std::vector<OpCase<ops::Rms>> cases;
  for (const FrameCase& each : sample_cases()) {
    cases.push_back(frame_case<ops::Rms>(each));
    cases.back().rounding = {2e-6, 2e-6, "squares are summed in float32"};
  }
  return cases;
}

template <>
std::vector<OpCase<ops::ZeroCrossingRate>> op_cases() {
  using Op = ops::ZeroCrossingRate;
  std::vector<OpCase<Op>> cases;
  for (const FrameCase& each : sample_cases()) {
    cases.push_back(frame_case<Op>(each));
    cases.back().tolerance = 2e-7;  // counts are exact, the quotient is a float
  }
  for (const bool zero_pos : {true, false})
    for (const double threshold : {0.0, 0.4}) {
      cases.push_back(cases[0]);
      cases.back().name = "threshold " + std::to_string(threshold);
      cases.back().params.zero_pos = zero_pos;
      cases.back().params.threshold = threshold;
      cases.back().params.pad = zero_pos;
    }
  return cases;
}

template <>
std::vector<OpCase<ops::SpectralShape>> op_cases() {
  std::vector<OpCase<ops::SpectralShape>> cases;
  for (const FrameCase& each : frame_cases()) {
    // Sums below the normal numbers are no sums on a device that flushes them.
    if (each.signal == Signal::denormal) continue;
    cases.push_back(shape_case(each));
    // A constant: what lies beside 0 Hz is the noise of near-empty bins, and all of the centroid.
    // It is the processor's own: 2.6e-4 apart without AVX-512.
    if (each.samples == 1) cases.back().tolerance = 4e-4;
  }
  using dsp::Shape;
  for (const Index n_fft : {256, 400, 512, 1024, 2048, 4096, 8192}) {
    const FrameCase noise{"", {n_fft, n_fft / 4, true}, n_fft, Signal::noise, 2, 22050};
    const auto add = [&](const dsp::ShapeParams& shape, double tolerance) {
      cases.push_back(shape_case(noise, shape));
      cases.back().name =
          "shape " + std::to_string(static_cast<int>(shape.shape)) + " of " + std::to_string(n_fft);
      cases.back().tolerance = tolerance;
    };
    add({.shape = Shape::bandwidth}, 1e-5);
    add({.shape = Shape::bandwidth, .p = 1.5}, 2e-5);  // by exp2 and log2 of the device
    add({.shape = Shape::bandwidth, .norm = false}, 1e-5);
    // A bin to either side, where sums in another order reach the share.
    for (const double share : {0.5, 0.85, 0.999})
      add({.shape = Shape::rolloff, .roll_percent = share},
          share < 0.6 ? 6.0 / static_cast<double>(n_fft) : 4.0 / static_cast<double>(n_fft));
    for (const double power : {1.0, 2.0, 2.5})
      add({.shape = Shape::flatness, .power = power}, 3e-5);  // a mean of a thousand logarithms
  }
  const FrameCase silence{"silence", {2048, 512, true}, 2048, Signal::silence, 1, 9000};
  for (const Shape shape : {Shape::bandwidth, Shape::rolloff, Shape::flatness})
    cases.push_back(shape_case(silence, {.shape = shape}));
  cases.push_back(shape_case({"no kernel for 1000", {1000, 250}, 1000, Signal::noise, 1, 9000}));
  cases.back().on_gpu = false;
  for (auto& each : cases)
    each.rounding =
        each.in.y.cols == 1
            ? Rounding{1e-2, 5e-2, "of a constant: bins beside 0 Hz are rounding, and weigh most"}
            : Rounding{2e-6, 5e-2, "bins beside a tone are rounding"};
  return cases;
}

}  // namespace metalmom::test
