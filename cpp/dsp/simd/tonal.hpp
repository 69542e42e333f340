// Kernels of phases, pitch, harmonics, recursive filters and sparse images, as a table of
// functions: apart from kernels.hpp, which most files include.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

enum class Isa;

// Complex numbers as a length and a direction (re, im) of length one, in three arrays. Each has
// room for whole vectors of up to 8 values.
struct PolarRow {
  double *re, *im, *length;
};

template <class T>
struct VocoderKernels {
  // Lengths and directions of n pairs (re, im). Both kernels fetch what is `ahead` values on.
  void (*polar)(const T* pairs, Index n, Index ahead, PolarRow out);
  // Pairs with the direction of `phase` and a length between those of `from` and `to`; then
  // phase *= to / from, if it `turns`.
  void (*advance)(PolarRow from, PolarRow to, double weight, bool turns, Index n, PolarRow phase,
                  Index ahead, T* out);
};

// A matrix row after row, and where the nonzero values of each row lie.
struct BandedMatrix {
  const double* values;
  Index n_rows, n_cols;
  const Index *first, *last;
};

// Vectors are (n, 16), each lane a problem of its own: see nonnegative.hpp.
struct NonnegativeKernels {
  void (*gradient)(const BandedMatrix& A, const double* z, const double* b, double* gradient);
  void (*projected_maxima)(const double* x, const double* gradient, Index n, double* maxima);
  void (*step)(const double* x, const double* z, double step, Index n, double* next,
               double* distance, double* ahead);
  void (*extrapolate)(const double* next, const double* momentum, const double* moving, Index n,
                      double* x, double* z);
};

// Values are (n, 16), each lane a frame: see periods.hpp.
template <class T>
struct PeriodKernels {
  // out[(k - min_period) * 16 + i] = d(k) / (mean of d(1) ... d(k) + tiny) for the periods k from
  // min_period to max_period. d(k) is the energy of the difference between a frame, with zeros
  // behind it, and itself k samples later; d(1) is larger by the first sample's energy, as in
  // librosa. `correlations`: lags 0 ... max_period; `samples`: the first max_period samples.
  void (*differences)(const T* correlations, const T* samples, Index min_period, Index max_period,
                      double tiny, T* out);
  // The place of the first trough below the threshold; without one, that of the least value.
  void (*choose)(const T* values, Index n, T threshold, T* chosen);
};

// Where a bin is moved (reassign.hpp): to first + spacing * bin + factor * p, clamped to [low,
// high]. p is the imaginary or the real part of the ratio of `weighted` (the spectrum with another
// window) to `spectrum`. Bins of less power than `least_power` become NaN, or with `fill` keep
// their own place.
struct Reassignment {
  double first, spacing, factor;
  bool imaginary;
  double least_power;
  bool fill;
  double low, high;
};

// Where a value lies between the rows `low` and `high` of a block; outside of all rows low is -1.
struct RowBetween {
  Index low, high;
  double weight;
};

template <class T>
struct HarmonicKernels {
  // Moves the bins of n pairs (re, im).
  void (*reassign)(const T* spectrum, const T* weighted, Index n, const Reassignment& by,
                   double* out);
  // out[r * stride + i] for the frames i < count <= 16; `fill` for rows with low < 0.
  void (*between)(const RowBetween* rows, Index n, const T* lanes, double fill, double* out,
                  Index stride, Index count);
  // Weighted sums over harmonics: the rows of a harmonic follow those of the one before, n each.
  // With `peaks_only` bins that are not above both neighbours become `fill`.
  void (*sums)(const RowBetween* rows, Index n, const double* weights, Index n_harmonics,
               const T* lanes, bool peaks_only, double fill, double* out, Index stride,
               Index count);
};

// Mu-law: see companding.hpp. `scale` is log(1 + mu).
template <class T>
struct CompandingKernels {
  void (*compress)(const T* x, Index n, T mu, double scale, double* out);
  void (*quantize)(const T* x, Index n, T mu, double scale, const double* edges, Index n_edges,
                   Index offset, Index* out);
  void (*expand)(const T* x, Index n, double mu, double scale, T* out);
};

template <class T>
struct BurgKernels {
  double (*dot)(const T* a, const T* b, Index n);
  // Burg's recursion: new forward = forward + coefficient * backward, new backward = backward +
  // coefficient * forward (both from the values before). Returns the sum of forward[i + 1] *
  // backward[i] of the new ones.
  double (*reflect)(T* forward, T* backward, Index n, T coefficient);
};

// Eight recursive filters of n second-order sections. Each section has the coefficients b0, b1, b2,
// a1, a2 and two states, eight values each.
inline constexpr int section_lanes = 8;
struct Sections {
  const double* coefficients;
  double* state;
  Index n;
};

struct SectionKernels {
  // out[i * 8 + lane]: the signal x after all sections of filter `lane`.
  void (*forward)(const Sections& sections, const double* x, Index n, double* out);
  // In place, from the last of n samples to the first.
  void (*backward)(const Sections& sections, double* values, Index n);
  // sums[lane] += values[i * 8 + lane]^2
  void (*add_squares)(const double* values, Index n, double* sums);
};

// Values of an image's row within so many columns are added to sums together.
inline constexpr int line_reach = 8;

// A kernel's rows in the view of a single value of the image, which adds to neighbouring columns:
// where the weights of a row begin relative to the value's column, how many there are, and their
// offset in `weights`. Before and behind each row lie line_margin zeros or more.
inline constexpr int line_margin = 16 + line_reach;
template <class T>
struct LineRows {
  const Index *begin, *count, *offset;
  const T* weights;
};

template <class T>
struct ScatterKernels {
  // Adds what `count` values of one row of input, at `columns`, contribute to the output: the
  // kernel's row `first` to the row `out`, the next one to the row before it, and so on. Whole
  // vectors of `out` are changed, on their alignment; `stride` is a multiple of 16.
  void (*lines)(const LineRows<T>& rows, Index first, Index last, const T* values,
                const int32_t* columns, Index count, T* out, Index stride);
};

struct TonalKernels {
  VocoderKernels<float> float_vocoder;
  VocoderKernels<double> double_vocoder;
  NonnegativeKernels nonnegative;
  PeriodKernels<float> float_periods;
  PeriodKernels<double> double_periods;
  HarmonicKernels<float> float_harmonics;
  HarmonicKernels<double> double_harmonics;
  CompandingKernels<float> float_companding;
  CompandingKernels<double> double_companding;
  BurgKernels<float> float_burg;
  BurgKernels<double> double_burg;
  SectionKernels sections;
  ScatterKernels<float> float_scatter;
  ScatterKernels<double> double_scatter;
};

template <Isa isa>
const TonalKernels& tonal_of();

}  // namespace metalmom::dsp::simd
