// One case list for each op. Those with a GPU kernel have sizes around every boundary, short and
// silent signals, extreme values, several channels (parity.cpp); the others a few that make every
// branch run (every_op.cpp).
#pragma once

#include <complex>
#include <limits>
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
  std::vector<double> wide, more, weights;
  std::vector<std::int32_t> numbers;
  std::vector<Index> places;
};

// No bound: results that cancel out, or that the last digit decides.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

// How far float32 may be from float64, and one instruction set from another (every_op_numbers.cpp):
// this part of the result's largest value, beside what each bin has of its own. docs/parity.md
// lists those with a reason.
struct Rounding {
  double own = 1e-7;    // on the case's own input
  double tones = 3e-7;  // on square waves, sines, constants and what is very quiet, in its place
  const char* why = "";
};

template <class Op>
struct OpCase {
  std::string name;
  typename Op::Params params;
  typename Op::template In<float> in;
  std::shared_ptr<const CaseData> data;
  bool on_gpu = true;         // whether the kernel takes it
  double tolerance = 1e-5;    // of the result's maximum, and of each bin's
  bool of_one_scale = false;  // whether all of the result rounds alike, and not each bin
  Rounding rounding = {};
  bool nan_spreads = false;  // whether a NaN of the input may be in all of the result
};

// Of each op its own, declared here; the default is none, and then a test fails.
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
std::vector<OpCase<ops::LogBands>> op_cases();
template <>
std::vector<OpCase<ops::LogBandsByFrame>> op_cases();
template <>
std::vector<OpCase<ops::LogBandsInDouble>> op_cases();
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
template <>
std::vector<OpCase<ops::PhaseVocoder>> op_cases();
template <>
std::vector<OpCase<ops::Pcen>> op_cases();
template <>
std::vector<OpCase<ops::ConstantQ>> op_cases();
template <>
std::vector<OpCase<ops::Delta>> op_cases();
template <>
std::vector<OpCase<ops::Resample>> op_cases();
template <>
std::vector<OpCase<ops::Convolve>> op_cases();

template <>
std::vector<OpCase<ops::Phasors>> op_cases();
template <>
std::vector<OpCase<ops::Reassign>> op_cases();
template <>
std::vector<OpCase<ops::Autocorrelate>> op_cases();
template <>
std::vector<OpCase<ops::SlidingSums>> op_cases();
template <>
std::vector<OpCase<ops::Lpc>> op_cases();
template <>
std::vector<OpCase<ops::Nnls>> op_cases();
template <>
std::vector<OpCase<ops::MuCompress>> op_cases();
template <>
std::vector<OpCase<ops::MuQuantize>> op_cases();
template <>
std::vector<OpCase<ops::MuExpand>> op_cases();
template <>
std::vector<OpCase<ops::SparseRows>> op_cases();
template <>
std::vector<OpCase<ops::Spline>> op_cases();
template <>
std::vector<OpCase<ops::BandEnergies>> op_cases();
template <>
std::vector<OpCase<ops::FilterbankProduct>> op_cases();
template <>
std::vector<OpCase<ops::SpectralContrast>> op_cases();
template <>
std::vector<OpCase<ops::HarmonicRows>> op_cases();
template <>
std::vector<OpCase<ops::BlockDc>> op_cases();
template <>
std::vector<OpCase<ops::PeakPick>> op_cases();
template <>
std::vector<OpCase<ops::Tempogram>> op_cases();
template <>
std::vector<OpCase<ops::GlobalTempo>> op_cases();
template <>
std::vector<OpCase<ops::Tempo>> op_cases();
template <>
std::vector<OpCase<ops::BeatTrack>> op_cases();
template <>
std::vector<OpCase<ops::Yin>> op_cases();
template <>
std::vector<OpCase<ops::PyinObservations>> op_cases();
template <>
std::vector<OpCase<ops::Piptrack>> op_cases();
template <>
std::vector<OpCase<ops::TuningEstimate>> op_cases();
template <>
std::vector<OpCase<ops::SpectrumTuning>> op_cases();
template <>
std::vector<OpCase<ops::PitchTuning>> op_cases();
template <>
std::vector<OpCase<ops::OnePole>> op_cases();
template <>
std::vector<OpCase<ops::FilterLines>> op_cases();
template <>
std::vector<OpCase<ops::Agglomerate>> op_cases();
template <>
std::vector<OpCase<ops::LinkMeans>> op_cases();
template <>
std::vector<OpCase<ops::Links>> op_cases();
template <>
std::vector<OpCase<ops::MutualLinks>> op_cases();
template <>
std::vector<OpCase<ops::Viterbi>> op_cases();
template <>
std::vector<OpCase<ops::Rqa>> op_cases();
template <>
std::vector<OpCase<ops::WarpTotals>> op_cases();
template <>
std::vector<OpCase<ops::WarpPath>> op_cases();
template <>
std::vector<OpCase<ops::WarpSteps>> op_cases();
template <>
std::vector<OpCase<ops::WarpWalk>> op_cases();
template <>
std::vector<OpCase<ops::ConstantQInverse>> op_cases();

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
