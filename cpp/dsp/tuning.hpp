// Spectral peaks with parabolic interpolation (J. O. Smith, "Sinusoidal peak interpolation"), and
// the tuning that a set of them agrees on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/view.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

// Where peaks are looked for and what they mean.
struct PeakBand {
  Index first = 1, last = 1;  // bins [first, last) may be peaks
  double bin_spacing = 1;     // Hz
};

// A peak: its interpolated frequency and magnitude.
template <class T>
struct SpectralPeak {
  T frequency, magnitude;
};

// Visits the peaks of a spectrum in lane layout (lanes[bin * 16 + i], dsp/frame_transform.hpp):
// bins above limit[i] that are larger than the bin below and not smaller than the bin above. Calls
// visit(bin, lane, peak); `limit` has 16 values. Sums and differences are formed in T and divided
// in double, as in the reference: a frequency may decide a bin of the tuning's histogram.
template <class T, class F>
void visit_peaks(const T* lanes, Index n_bins, Index count, const T* limit, const PeakBand& band,
                 F&& visit) {
  constexpr Index width = 16, at_once = 256;
  const Index last = band.last < n_bins ? band.last : n_bins;
  const auto& kernels = simd::lane_kernels<T>();
  unsigned short bits[at_once];
  const Index start = band.first > 1 ? band.first : 1;
  for (Index bin = start; bin < last; ++bin) {
    const Index offset = (bin - start) % at_once;
    if (offset == 0)
      kernels.peaks(lanes, n_bins, bin, last - bin < at_once ? last - bin : at_once, limit, bits);
    const T* here = lanes + bin * width;
    const T* below = here - width;
    const bool inner = bin + 1 < n_bins;
    const T* above = inner ? here + width : here;
    unsigned hits = bits[offset];
    for (hits &= (1u << count) - 1; hits; hits &= hits - 1) {
      const Index i = __builtin_ctz(hits);
      T shift = 0, rise = here[i] - below[i];
      if (inner) {
        const T sum = above[i] + below[i], difference = above[i] - below[i];
        const double curve = static_cast<double>(sum) - 2 * static_cast<double>(here[i]);
        const double slope = static_cast<double>(difference) / 2;
        if (-curve > (slope < 0 ? -slope : slope)) shift = static_cast<T>(-slope / curve);
        rise = difference / 2;
      }
      const double position = static_cast<double>(bin) + static_cast<double>(shift);
      visit(bin, i,
            SpectralPeak<T>{static_cast<T>(position * band.bin_spacing),
                            here[i] + T(0.5) * rise * shift});
    }
  }
}

// limit[lane] = `factor` times the largest value of the lane. NaN if the lane has a NaN; then no
// bin is a peak.
template <class T>
void peak_limits(const T* lanes, Index n_bins, T factor, T* limit);

// A deviation from the equal-tempered scale of A4 = 440 Hz, in fractions of a bin, and the number
// of frequencies that voted for one. Without votes it is 0.
struct Tuning {
  double deviation = 0;
  Index votes = 0;
};

// Deviations of frequencies from a scale of `bins_per_octave`, counted in cells of width
// `resolution`. Counts of parts add up to those of the whole, in any order.
template <class T>
class TuningHistogram {
 public:
  TuningHistogram(double resolution, double bins_per_octave);

  Index n_cells() const { return std::ssize(counts_); }
  void add(T frequency);  // counts a frequency, if it is > 0
  void add(const TuningHistogram& part);
  void add(std::span<const std::uint32_t> counts);  // adds a count for each cell
  // The most frequent deviation.
  Tuning tuning() const;

 private:
  // The edges of the cells, as numpy.linspace makes them.
  double edge(Index i) const { return i == n_cells() ? 0.5 : static_cast<double>(i) * step_ - 0.5; }

  T bins_per_octave_;
  std::vector<Index> counts_;
  double step_;
  Index votes_ = 0;
};

template <class T>
Tuning histogram_tuning(std::span<const T> frequencies, double resolution, double bins_per_octave);

}  // namespace metalmom::dsp
