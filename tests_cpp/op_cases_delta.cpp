// Cases of derivatives along frames.
#include <string>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

// Fits of degree 2 by orthogonal polynomials: 1, t and t^2 less its mean.
void add_fit(CaseData& data, Index width, Index derivative) {
  const Index half = width / 2;
  const auto mean = static_cast<double>(half * (half + 1)) / 3;
  const auto value = [&](Index degree, double t) {
    return degree == 0 ? 1.0 : degree == 1 ? t : t * t - mean;
  };
  for (Index degree = 0; degree < 3; ++degree) {
    double size = 0;
    for (Index k = -half; k <= half; ++k)
      size += value(degree, static_cast<double>(k)) * value(degree, static_cast<double>(k));
    for (Index k = -half; k <= half; ++k)
      data.weights.push_back(value(degree, static_cast<double>(k)) / size);
  }
  for (Index k = -half; k <= half; ++k)
    for (Index degree = 0; degree < 3; ++degree) {
      const auto t = static_cast<double>(k);
      data.more.push_back(derivative == 0   ? value(degree, t)
                          : derivative == 1 ? (degree == 1   ? 1
                                               : degree == 2 ? 2 * t
                                                             : 0)
                                            : (degree == 2 ? 2 : 0));
    }
}

// Levels in decibels: far from zero, with changes that are small beside them.
OpCase<ops::Delta> delta_case(std::string name, Index batch, Index frames, Index columns,
                              ops::Delta::Params params = {}, Index derivative = 1) {
  auto data = std::make_shared<CaseData>();
  data->values = make_signal(Signal::noise, batch, frames * columns);
  for (float& value : data->values) value = 2 * value - 60;
  add_fit(*data, params.width, derivative);
  OpCase<ops::Delta> result{std::move(name), params, {}, data};
  result.in.x = {data->values.data(), batch, frames, columns};
  result.in.fit = data->weights;
  result.in.at_times = data->more;
  return result;
}

}  // namespace

template <>
std::vector<OpCase<ops::Delta>> op_cases() {
  using dsp::Ends;
  std::vector<OpCase<ops::Delta>> cases;
  cases.push_back(delta_case("default", 40, 300, 1));
  cases.push_back(delta_case("along an axis within", 3, 50, 37));
  for (const auto mode : {Ends::interp, Ends::nearest, Ends::mirror, Ends::constant, Ends::wrap}) {
    const std::string name = "mode " + std::to_string(static_cast<int>(mode));
    for (const Index columns : {1, 20}) {
      cases.push_back(delta_case(name, 5, 301, columns, {mode, 9, -70}));
      cases.push_back(delta_case(name + " smoothed", 5, 301, columns, {mode, 25, 3}, 0));
      cases.push_back(delta_case(name + " bent", 5, 301, columns, {mode, 11, -60}, 2));
      cases.push_back(delta_case(name + ", one window", 3, 9, columns, {mode, 9, 0}));
    }
    if (mode == Ends::interp) continue;
    // The window reaches over both ends, some many times; slopes would cancel out.
    for (const Index frames : {1, 2, 5})
      cases.push_back(
          delta_case(name + " of " + std::to_string(frames), 4, frames, 3, {mode, 31, 1}, 0));
  }
  for (const Index frames : {254, 255, 256, 257, 1023, 1024, 1025})
    cases.push_back(delta_case(std::to_string(frames) + " frames", 3, frames, 1));
  for (const Index width : {3, 5, 63, 301})
    cases.push_back(delta_case("width " + std::to_string(width), 2, 301, 2, {Ends::interp, width}));
  cases.push_back(delta_case("long", 1, 3'000'001, 1, {Ends::mirror, 9}));
  cases.push_back(delta_case("long, cut along its columns", 1, 20'011, 100));
  cases.push_back(delta_case("many", 5000, 431, 1));
  cases.push_back(delta_case("wide fit", 1, 2000, 1, {Ends::interp, 1025}));
  cases.back().on_gpu = false;
  cases.push_back(delta_case("wide window", 1, 200, 1, {Ends::mirror, 16385}));
  cases.back().on_gpu = false;
  cases.back().rounding = {
      unbounded, unbounded,
      "windows of many times the length: slopes of the mirrored values cancel"};
  return cases;
}

}  // namespace metalmom::test
