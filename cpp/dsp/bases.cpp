#include "dsp/bases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "base/error.hpp"
#include "base/pace.hpp"

namespace metalmom::dsp {
namespace {

// 3 mels per 200 Hz up to 1 kHz, and from there 27 mels for each factor of 6.4.
constexpr double mel_hz = 200.0 / 3;
constexpr double break_hz = 1000.0;
constexpr double break_mel = break_hz / mel_hz;
const double log_step = std::log(6.4) / 27;

double rounded(double value, Rounding rounding) {
  return rounding == Rounding::to_float ? static_cast<double>(static_cast<float>(value)) : value;
}

// The norm of `count` values, or 1 if it is too small to divide by.
double divisor(const double* values, Index count, Norm norm, Rounding rounding) {
  const bool least = norm.p < 0;
  double length = least ? std::numeric_limits<double>::infinity() : 0;
  for (Index i = 0; i < count; ++i) {
    const double magnitude = std::abs(values[i]);
    if (least)
      length = std::min(length, magnitude);
    else if (std::isinf(norm.p))
      length = std::max(length, magnitude);
    else if (norm.p == 0)
      length += magnitude > 0;
    else
      length += norm.p == 2 ? magnitude * magnitude : std::pow(magnitude, norm.p);
  }
  if (norm.p == 2)
    length = std::sqrt(length);
  else if (norm.p > 0 && !std::isinf(norm.p))
    length = std::pow(length, 1 / norm.p);
  const double threshold = rounding == Rounding::to_float
                               ? static_cast<double>(std::numeric_limits<float>::min())
                               : std::numeric_limits<double>::min();
  return length < threshold ? 1 : length;
}

void check_norm(const std::optional<Norm>& norm) {
  if (!norm) return;
  const double p = norm->p;
  require(p >= 0 || (std::isinf(p) && p < 0), "norm", p, "non-negative, or minus infinity");
}

void check_transform(double sr, Index n_fft) {
  require(sr > 0 && std::isfinite(sr), "sr", sr, "a number > 0");
  require(n_fft >= 1, "n_fft", n_fft, "a positive integer");
}

DenseMatrix zeros(Index rows, Index cols) {
  if (rows > std::numeric_limits<Index>::max() / 64 / cols) throw std::bad_alloc();
  DenseMatrix m{rows, cols, {}};
  m.values.reserve(static_cast<std::size_t>(rows * cols));
  Pace pace;
  for (Index i = 0; i < rows; ++i) {
    m.values.resize(m.values.size() + static_cast<std::size_t>(cols));
    pace.did(cols);
  }
  return m;
}

// The whole number below `x`, within [0, n_bins].
Index bin_near(double x, Index n_bins) {
  return static_cast<Index>(std::clamp(std::floor(x), 0.0, static_cast<double>(n_bins)));
}

// Python's remainder of a positive divisor: never negative.
double remainder(double x, double divisor) {
  const double r = std::fmod(x, divisor);
  return r < 0 ? r + divisor : r;
}

}  // namespace

double hz_to_mel(double hz, bool htk) {
  if (htk) return 2595.0 * std::log10(1 + hz / 700);
  return hz >= break_hz ? break_mel + std::log(hz / break_hz) / log_step : hz / mel_hz;
}

double mel_to_hz(double mel, bool htk) {
  if (htk) return 700 * (std::pow(10.0, mel / 2595) - 1);
  return mel >= break_mel ? break_hz * std::exp(log_step * (mel - break_mel)) : mel_hz * mel;
}

std::vector<double> mel_frequencies(Index count, double fmin, double fmax, bool htk) {
  const double first = hz_to_mel(fmin, htk), last = hz_to_mel(fmax, htk);
  const double step = (last - first) / static_cast<double>(count - 1);
  std::vector<double> hz;
  hz.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    hz.push_back(mel_to_hz(i + 1 < count ? static_cast<double>(i) * step + first : last, htk));
  return hz;
}

void check(const MelFilters& f) {
  check_transform(f.sr, f.n_fft);
  require(f.n_mels >= 0, "n_mels", f.n_mels, "non-negative");
  require(std::isfinite(f.fmin), "fmin", f.fmin, "finite");
  if (f.fmax) require(std::isfinite(*f.fmax), "fmax", *f.fmax, "finite");
  check_norm(f.norm);
}

DenseMatrix make_mel_filters(const MelFilters& f) {
  check(f);
  DenseMatrix m = zeros(f.n_mels, 1 + f.n_fft / 2);
  const auto hz = mel_frequencies(f.n_mels + 2, f.fmin, f.fmax.value_or(f.sr / 2), f.htk);
  const double bin_hz = 1 / (static_cast<double>(f.n_fft) * (1 / f.sr));

  Pace pace;
  for (Index band = 0; band < m.rows; ++band) {
    const double* edge = hz.data() + band;
    const double rise = edge[1] - edge[0], fall = edge[2] - edge[1];
    // Only bins between the edges can have a weight, and one more on each side because edges are
    // rounded. Edges that do not rise (fmin above fmax) have no such range.
    Index first = 0, last = m.cols;
    if (rise > 0 && fall > 0) {
      first = bin_near(edge[0] / bin_hz - 1, m.cols);
      last = bin_near(edge[2] / bin_hz + 2, m.cols);
    }
    double* weights = m.row(band);
    pace.did(4 * m.cols);
    for (Index bin = first; bin < last; ++bin) {
      const double at = static_cast<double>(bin) * bin_hz;
      const double up = -(edge[0] - at) / rise, down = (edge[2] - at) / fall;
      weights[bin] = rounded(std::max(0.0, std::min(up, down)), f.rounding);
    }
    double scale = 1, length = 1;
    if (f.slaney)
      scale = 2.0 / (edge[2] - edge[0]);
    else if (f.norm)
      length = divisor(weights, m.cols, *f.norm, f.rounding);
    for (Index bin = first; bin < last; ++bin)
      weights[bin] = rounded(weights[bin] * scale / length, f.rounding);
  }
  return m;
}

bool has_empty_filter(const MelFilters& f, const DenseMatrix& m) {
  for (Index band = 0; band < m.rows; ++band) {
    if (band == 0 && mel_to_hz(hz_to_mel(f.fmin, f.htk), f.htk) == 0) continue;
    if (std::none_of(m.row(band), m.row(band) + m.cols, [](double w) { return w > 0; }))
      return true;
  }
  return false;
}

void check(const ChromaFilters& f) {
  check_transform(f.sr, f.n_fft);
  require(f.n_fft >= 2, "n_fft", f.n_fft, "at least 2");
  require(f.n_chroma >= 1, "n_chroma", f.n_chroma, "a positive integer");
  require(std::isfinite(f.tuning), "tuning", f.tuning, "finite");
  require(std::isfinite(f.ctroct), "ctroct", f.ctroct, "finite");
  if (f.octwidth) require(!std::isnan(*f.octwidth), "octwidth", *f.octwidth, "a number");
  check_norm(f.norm);
}

DenseMatrix make_chroma_filters(const ChromaFilters& f) {
  check(f);
  const auto n_chroma = static_cast<double>(f.n_chroma);
  const double a0 = 440.0 * std::exp2(f.tuning / n_chroma) / 16;
  const double bin_hz = f.sr / static_cast<double>(f.n_fft);

  // The pitch of a bin, in chroma from A0. 0 Hz has none: it is placed far below bin 1, which also
  // gives it the widest bump.
  const auto pitch = [&](Index bin) {
    const double lift = bin ? 0 : -1.5 * n_chroma;
    const double hz = static_cast<double>(std::max<Index>(bin, 1)) * bin_hz;
    return n_chroma * std::log2(hz / a0) + lift;
  };
  const double half = std::nearbyint(n_chroma / 2);

  DenseMatrix m = zeros(f.n_chroma, 1 + f.n_fft / 2);
  // rotates the rows, which begin with A, to begin with C
  const Index first_row = f.base_c ? 3 * (f.n_chroma / 12) : 0;
  std::vector<double> column(static_cast<std::size_t>(m.rows));
  double here = pitch(0);
  Pace pace;
  for (Index bin = 0; bin < m.cols; ++bin) {
    const double next = pitch(bin + 1);
    const double width = bin + 1 < f.n_fft ? std::max(next - here, 1.0) : 1.0;
    for (Index c = 0; c < m.rows; ++c) {
      const double offset = here - static_cast<double>(c) + half + 10 * n_chroma;
      const double distance = remainder(offset, n_chroma) - half;
      const double x = 2 * distance / width;
      column[static_cast<std::size_t>(c)] = std::exp(-0.5 * (x * x));
    }
    const double length = f.norm ? divisor(column.data(), m.rows, *f.norm, Rounding::to_double) : 1;
    double weight = 1;
    if (f.octwidth) {
      const double x = (here / n_chroma - f.ctroct) / *f.octwidth;
      weight = std::exp(-0.5 * (x * x));
    }
    for (Index c = 0; c < m.rows; ++c) {
      const Index row = (c - first_row + m.rows) % m.rows;
      m.row(row)[bin] = rounded(column[static_cast<std::size_t>(c)] / length * weight, f.rounding);
    }
    here = next;
    pace.did(16 * m.rows);
  }
  return m;
}

}  // namespace metalmom::dsp
