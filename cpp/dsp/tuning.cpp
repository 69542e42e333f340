#include "dsp/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace metalmom::dsp {

template <class T>
void peak_limits(const T* lanes, Index n_bins, T factor, T* limit) {
  simd::lane_kernels<T>().maxima(lanes, n_bins, limit);
  for (Index i = 0; i < simd::n_lanes; ++i) limit[i] *= factor;
}

template <class T>
Tuning histogram_tuning(std::span<const T> frequencies, double resolution, double bins_per_octave) {
  const auto cells = static_cast<Index>(std::ceil(1 / resolution));
  // Edges as numpy.linspace makes them; a residual on an edge belongs to the cell above it.
  const double step = 1.0 / static_cast<double>(cells);
  const auto edge = [&](Index i) {
    return i == cells ? 0.5 : static_cast<double>(i) * step - 0.5;
  };
  std::vector<Index> counts(static_cast<std::size_t>(cells), 0);
  Index votes = 0;
  for (const T frequency : frequencies) {
    if (!(frequency > 0)) continue;
    ++votes;
    const T bins = static_cast<T>(bins_per_octave) * std::log2(frequency / T(27.5));
    T residual = bins - std::floor(bins);
    if (residual >= T(0.5)) residual -= 1;
    if (residual != residual) continue;  // an infinite frequency counts, and has no deviation
    const auto r = static_cast<double>(residual);
    auto cell = std::clamp<Index>(static_cast<Index>((r + 0.5) / step), 0, cells - 1);
    while (cell > 0 && r < edge(cell)) --cell;
    while (cell + 1 < cells && r >= edge(cell + 1)) ++cell;
    ++counts[static_cast<std::size_t>(cell)];
  }
  if (votes == 0) return {};
  return {edge(std::max_element(counts.begin(), counts.end()) - counts.begin()), votes};
}

template <class T>
Tuning peaks_tuning(std::span<const SpectralPeak<T>> peaks, double resolution, double bins_per_octave) {
  if (peaks.empty()) return {};
  std::vector<T> values(peaks.size());
  std::transform(peaks.begin(), peaks.end(), values.begin(), [](const auto& p) { return p.magnitude; });
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  T median = *middle;
  if (values.size() % 2 == 0) median = (*std::max_element(values.begin(), middle) + median) / 2;
  values.clear();
  for (const auto& peak : peaks)
    if (peak.magnitude >= median) values.push_back(peak.frequency);
  return histogram_tuning<T>(values, resolution, bins_per_octave);
}

template void peak_limits(const float*, Index, float, float*);
template void peak_limits(const double*, Index, double, double*);
template Tuning histogram_tuning(std::span<const float>, double, double);
template Tuning histogram_tuning(std::span<const double>, double, double);
template Tuning peaks_tuning(std::span<const SpectralPeak<float>>, double, double);
template Tuning peaks_tuning(std::span<const SpectralPeak<double>>, double, double);

}  // namespace metalmom::dsp
