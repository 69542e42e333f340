// One case list for each op with a GPU kernel: sizes around every boundary, short and silent
// signals, extreme values, several channels. Parity tests, self-tests and benchmarks share it.
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "ops/all.hpp"

namespace metalmom::test {

// What a case's arrays point into.
struct CaseData {
  std::vector<float> values;
  std::vector<std::complex<float>> spectrum;
  std::vector<float> magnitudes;
  std::vector<double> window;
};

template <class Op>
struct OpCase {
  std::string name;
  typename Op::Params params;
  typename Op::template In<float> in;
  std::shared_ptr<const CaseData> data;
  bool on_gpu = true;       // whether the kernel takes it
  double tolerance = 1e-5;  // of the result's maximum
};

// Of each op its own; the default is none.
template <class Op>
std::vector<OpCase<Op>> op_cases() {
  return {};
}
template <>
std::vector<OpCase<ops::Stft>> op_cases();
template <>
std::vector<OpCase<ops::Istft>> op_cases();
template <>
std::vector<OpCase<ops::GriffinLim>> op_cases();
template <>
std::vector<OpCase<ops::Hpss>> op_cases();
template <>
std::vector<OpCase<ops::HpssAudio>> op_cases();
template <>
std::vector<OpCase<ops::FilterbankSpectrogram>> op_cases();
template <>
std::vector<OpCase<ops::ChromaSpectrogram>> op_cases();
template <>
std::vector<OpCase<ops::Cepstrum>> op_cases();
template <>
std::vector<OpCase<ops::OnsetStrength>> op_cases();
template <>
std::vector<OpCase<ops::SpectralFlux>> op_cases();
template <>
std::vector<OpCase<ops::Dct>> op_cases();
template <>
std::vector<OpCase<ops::Decibel>> op_cases();
template <>
std::vector<OpCase<ops::Rms>> op_cases();
template <>
std::vector<OpCase<ops::ZeroCrossingRate>> op_cases();
template <>
std::vector<OpCase<ops::SpectralShape>> op_cases();

// Signals of (batch, samples).
enum class Signal { noise, music, silence, impulse, denormal, square };
std::vector<float> make_signal(Signal signal, Index batch, Index samples);

// A signal and how it is framed; the ops that start from audio share them.
struct FrameCase {
  std::string name;
  ops::FrameParams params;
  Index win_length = 0;
  Signal signal = Signal::noise;
  Index batch = 1, samples = 0;
};
std::vector<FrameCase> frame_cases();

}  // namespace metalmom::test
