// Filter banks as dense matrices, in double precision and rounded where librosa rounds: the one
// truth for Python's `filters`, for the feature ops and for the tools.
#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "base/view.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::dsp {

struct DenseMatrix {  // row-major
  Index rows = 0, cols = 0;
  std::vector<double> values;
  double* row(Index i) { return values.data() + i * cols; }
  const double* row(Index i) const { return values.data() + i * cols; }
};

// The dtype of a filter bank: its values are always held as double, rounded to float if asked.
enum class Rounding { to_float, to_double };

// An l_p norm: p > 0, 0 (count of non-zeros), or plus or minus infinity (greatest, least value).
struct Norm {
  double p;
  friend auto operator<=>(const Norm&, const Norm&) = default;
};

// Slaney's mel scale (Auditory Toolbox, 1998), or HTK's.
double hz_to_mel(double hz, bool htk = false);
double mel_to_hz(double mel, bool htk = false);

// `count` frequencies in Hz, evenly spaced in mels.
// only if `slaney` is off: each row to unit norm
std::vector<double> mel_frequencies(Index count, double fmin, double fmax, bool htk = false);

struct MelFilters {
  double sr = defaults::sr;
  Index n_fft = defaults::n_fft, n_mels = defaults::n_mels;
  double fmin = 0;
  std::optional<double> fmax = std::nullopt;  // else sr / 2
  bool htk = false;
  bool slaney = true;                       // each triangle to unit area
  std::optional<Norm> norm = std::nullopt;  // or, where slaney is off, each row to unit norm
  Rounding rounding = Rounding::to_float;

  friend auto operator<=>(const MelFilters&, const MelFilters&) = default;
};

// Throws ParameterError for values that no filter bank has.
void check(const MelFilters& filters);

// (n_mels, 1 + n_fft / 2): triangles between neighbouring mel frequencies.
DenseMatrix make_mel_filters(const MelFilters& filters);

// Whether a filter has no bin at all; one whose lower edge is at 0 Hz does not count.
bool has_empty_filter(const MelFilters& filters, const DenseMatrix& matrix);

struct ChromaFilters {
  double sr = defaults::sr;
  Index n_fft = defaults::n_fft, n_chroma = defaults::n_chroma;
  double tuning = 0;  // in bins
  double ctroct = 5;  // centre and width in octaves of the Gaussian over all octaves
  std::optional<double> octwidth = 2;
  std::optional<Norm> norm = Norm{2};  // of each column
  bool base_c = true;                  // the first row is C, else A
  Rounding rounding = Rounding::to_float;

  friend auto operator<=>(const ChromaFilters&, const ChromaFilters&) = default;
};

void check(const ChromaFilters& filters);

// (n_chroma, 1 + n_fft / 2): a Gaussian bump around each pitch class (Ellis, Chroma feature
// analysis and synthesis, 2007).
DenseMatrix make_chroma_filters(const ChromaFilters& filters);

}  // namespace metalmom::dsp
