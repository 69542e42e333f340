#include "dsp/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/pace.hpp"

namespace metalmom::dsp {

template <class T>
void peak_limits(const T* lanes, Index n_bins, T factor, T* limit) {
  simd::lane_kernels<T>().maxima(lanes, n_bins, limit);
  for (Index i = 0; i < simd::n_lanes; ++i) limit[i] *= factor;
}

template <class T>
TuningHistogram<T>::TuningHistogram(double resolution, double bins_per_octave)
    : bins_per_octave_(static_cast<T>(bins_per_octave)),
      counts_(static_cast<std::size_t>(std::ceil(1 / resolution)), 0),
      step_(1.0 / static_cast<double>(counts_.size())) {}

template <class T>
void TuningHistogram<T>::add(T frequency) {
  if (!(frequency > 0)) return;
  ++votes_;
  const T bins = bins_per_octave_ * std::log2(frequency / T(27.5));
  T residual = bins - std::floor(bins);
  if (residual >= T(0.5)) residual -= 1;
  if (residual != residual) return;  // an infinite frequency votes, but has no deviation
  const auto r = static_cast<double>(residual);
  auto cell = std::clamp<Index>(static_cast<Index>((r + 0.5) / step_), 0, n_cells() - 1);
  // A residual on an edge belongs to the cell above it.
  while (cell > 0 && r < edge(cell)) --cell;
  while (cell + 1 < n_cells() && r >= edge(cell + 1)) ++cell;
  ++counts_[static_cast<std::size_t>(cell)];
}

template <class T>
void TuningHistogram<T>::add(const TuningHistogram& part) {
  votes_ += part.votes_;
  std::ranges::transform(counts_, part.counts_, counts_.begin(), std::plus());
}

template <class T>
void TuningHistogram<T>::add(std::span<const std::uint32_t> counts) {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    votes_ += counts[i];
    counts_[i] += counts[i];
  }
}

template <class T>
Tuning TuningHistogram<T>::tuning() const {
  if (votes_ == 0) return {};
  return {edge(std::ranges::max_element(counts_) - counts_.begin()), votes_};
}

template <class T>
Tuning histogram_tuning(std::span<const T> frequencies, double resolution, double bins_per_octave) {
  TuningHistogram<T> histogram(resolution, bins_per_octave);
  Pace pace;
  for (const T frequency : frequencies) {
    histogram.add(frequency);
    pace.did(1);
  }
  return histogram.tuning();
}

template void peak_limits(const float*, Index, float, float*);
template void peak_limits(const double*, Index, double, double*);
template Tuning histogram_tuning(std::span<const float>, double, double);
template Tuning histogram_tuning(std::span<const double>, double, double);
template class TuningHistogram<float>;
template class TuningHistogram<double>;

}  // namespace metalmom::dsp
