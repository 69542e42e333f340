// What the cases of ops without a GPU kernel are made of.
#pragma once

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

// A list of cases, each with memory of its own that its inputs point into.
template <class Op>
class CpuCases {
 public:
  using In = typename Op::template In<float>;
  using Params = typename Op::Params;

  // `fill(data, in, params)` makes the arrays and points to them.
  template <class F>
  CpuCases& add(std::string name, F&& fill) {
    auto data = std::make_shared<CaseData>();
    OpCase<Op> made{std::move(name), {}, {}, nullptr, false};
    fill(*data, made.in, made.params);
    made.data = std::move(data);
    cases_.push_back(std::move(made));
    return *this;
  }
  // Of all of them.
  CpuCases& rounding(const Rounding& each) {
    for (auto& made : cases_) made.rounding = each;
    return *this;
  }
  CpuCases& nan_spreads() {
    for (auto& made : cases_) made.nan_spreads = true;
    return *this;
  }
  operator std::vector<OpCase<Op>>() const { return cases_; }

 private:
  std::vector<OpCase<Op>> cases_;
};

inline View<const float> signals_of(CaseData& data, Index batch, Index samples,
                                    Signal signal = Signal::music) {
  data.values = make_signal(signal, batch, samples);
  return {data.values.data(), batch, 1, samples};
}

// (batch, rows, cols) in [0, 1).
inline View<const float> positive_of(CaseData& data, Index batch, Index rows, Index cols) {
  data.values = make_signal(Signal::noise, batch, rows * cols);
  for (float& value : data.values) value = std::abs(value);
  return {data.values.data(), batch, rows, cols};
}

// The same in double.
inline View<const double> wide_of(std::vector<double>& memory, Index batch, Index rows, Index cols,
                                  std::uint64_t seed = 1) {
  const auto noise = dsp::test::noise<double>(batch * rows * cols, seed);
  memory.assign(noise.begin(), noise.end());
  return {memory.data(), batch, rows, cols};
}

inline View<const std::complex<float>> spectrum_of(CaseData& data, Index batch, Index rows,
                                                   Index cols) {
  const auto noise = dsp::test::noise<float>(2 * batch * rows * cols, 9);
  for (std::size_t i = 0; i < noise.size(); i += 2)
    data.spectrum.emplace_back(noise[i], noise[i + 1]);
  return {data.spectrum.data(), batch, rows, cols};
}

inline std::span<const double> window_of(CaseData& data, Index length) {
  data.window = dsp::test::hann(length);
  return data.window;
}

}  // namespace metalmom::test
