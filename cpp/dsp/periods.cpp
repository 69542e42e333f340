#include "dsp/periods.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/workspace.hpp"
#include "dsp/frame_work.hpp"
#include "dsp/simd/tonal_kernels.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index lanes = block_frames;

// A power of two, times which the largest of some samples is about 1; 1 for silence.
template <class T>
T normalising(const T* samples, Index count) {
  using Limits = std::numeric_limits<T>;
  T largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::abs(samples[i]));
  if (largest == 0) return 1;
  const int exponent = -std::ilogb(largest);
  return std::ldexp(T(1), std::clamp(exponent, Limits::min_exponent, Limits::max_exponent - 1));
}

}  // namespace

Index period_transform_size(Index frame_length, Index max_period) {
  return static_cast<Index>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<Index>(frame_length + max_period, 256))));
}

template <class T>
PeriodDifferences<T>::PeriodDifferences(Index frame_length, PeriodRange periods)
    : frame_length_(frame_length), periods_(periods) {
  const Index size = period_transform_size(frame_length, periods.last);
  const std::vector<double> whole(static_cast<std::size_t>(size), 1.0);
  transform_ = frame_transform<T>(size, whole);
}

template <class T>
void PeriodDifferences<T>::block(const FrameSource<T>& source, Index first, Index count,
                                 T* differences) const {
  const Index size = transform_->n_fft(), n_bins = transform_->n_bins();
  const Index n_lags = periods_.last + 1, lag_stride = row_stride(n_lags);
  const Lent<T> padded(size), gathered(frame_length_);
  const Lent<std::complex<T>> bins(n_bins);
  const Lent<T> lag_rows(lag_stride * lanes), sample_rows(lag_stride * lanes);
  const Lent<T> lags(n_lags * lanes), samples(n_lags * lanes);
  std::fill_n(padded.data(), size, T(0));
  for (Index i = 0; i < count; ++i) {
    const T* const frame = frame_samples(source, first + i, gathered.data());
    T* const row = lag_rows.data() + i * lag_stride;
    const auto correlate = [&](T scale) {
      std::transform(frame, frame + frame_length_, padded.data(), [=](T x) { return x * scale; });
      std::copy_n(padded.data(), periods_.last, sample_rows.data() + i * lag_stride);
      transform_->spectra_of(padded.data(), size, 1, bins.data());
      for (Index k = 0; k < n_bins; ++k) bins.data()[k] = std::norm(bins.data()[k]);
      std::fill_n(row, n_lags, T(0));
      transform_->overlap_add(bins.data(), 0, n_lags, row);
    };
    correlate(1);
    // Squares may have overflowed or vanished. The differences over their means are of no scale.
    if (!holds_squares(row[0])) [[unlikely]]
      if (const T scale = normalising(frame, frame_length_); scale != 1) correlate(scale);
  }
  const auto& kernels = simd::lane_kernels<T>();
  kernels.from_rows(lag_rows, lag_stride, count, n_lags, lags);
  kernels.from_rows(sample_rows, lag_stride, count, periods_.last, samples);
  // Added to means, so that silence has one: librosa's means are doubles, whatever the audio is.
  constexpr double tiny = std::numeric_limits<double>::min();
  simd::period_kernels<T>().differences(lags, samples, periods_.first, periods_.last, tiny,
                                        differences);
}

template class PeriodDifferences<float>;
template class PeriodDifferences<double>;

template <class T>
double parabolic_shift(const T* differences, Index n, Index at) {
  if (at == 0 || at == n - 1) return 0;
  const auto value = [&](Index i) { return static_cast<double>(differences[i * lanes]); };
  const double bend = value(at + 1) + value(at - 1) - 2 * value(at);
  const double slope = (value(at + 1) - value(at - 1)) / 2;
  return std::abs(slope) >= std::abs(bend) ? 0 : static_cast<T>(-slope / bend);
}

template double parabolic_shift(const float*, Index, Index);
template double parabolic_shift(const double*, Index, Index);

template <class T>
void choose_frequencies(const T* differences, PeriodRange periods, double threshold, double sr,
                        double* f0) {
  alignas(64) T chosen[lanes];
  simd::period_kernels<T>().choose(differences, periods.size(), static_cast<T>(threshold), chosen);
  for (Index i = 0; i < lanes; ++i) {
    const auto at = static_cast<Index>(chosen[i]);
    f0[i] = sr / (static_cast<double>(periods.first + at) +
                  parabolic_shift(differences + i, periods.size(), at));
  }
}

template void choose_frequencies(const float*, PeriodRange, double, double, double*);
template void choose_frequencies(const double*, PeriodRange, double, double, double*);

template <class T>
TroughCandidates<T>::TroughCandidates(const TroughModel& model)
    : model_(model), weight_below_(model.weights.size() + 1) {
  for (std::size_t i = 0; i < model.weights.size(); ++i)
    weight_below_[i + 1] = weight_below_[i] + model.weights[i];
}

// With n troughs below a threshold the k-th of them in time has the share (1 - e^-b) e^(-b k) / (1
// - e^(-b n)), a truncated Boltzmann distribution. Thresholds between the heights of two troughs
// have the same troughs below them, so their weights are shared out together.
template <class T>
void TroughCandidates<T>::add_shares(std::vector<double>& probabilities) const {
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Index begin = entries_[e];
    const auto end =
        e + 1 < entries_.size() ? static_cast<std::size_t>(entries_[e + 1]) : model_.weights.size();
    const double weight = weight_below_[end] - weight_below_[static_cast<std::size_t>(begin)];
    const auto below = [&](const Trough& trough) { return trough.entry <= begin; };
    const auto n = static_cast<std::size_t>(std::count_if(troughs_.begin(), troughs_.end(), below));
    std::size_t k = 0;
    for (std::size_t i = 0; i < troughs_.size(); ++i)
      if (below(troughs_[i])) probabilities[i] += weight * scale_[n] * decay_[k++];
  }
}

template <class T>
void TroughCandidates<T>::find(const T* differences, Index n, std::vector<PeriodCandidate>& found) {
  const auto value = [&](Index i) { return differences[i * lanes]; };
  const auto& steps = model_.thresholds;
  troughs_.clear();
  entries_.clear();
  found.clear();
  for (Index i = 0; i < n; ++i) {
    const bool falls = i == 0 ? value(0) < value(1) : value(i) < value(i - 1);
    if (!falls || (i > 0 && i + 1 < n && value(i) > value(i + 1))) continue;
    const auto above = std::upper_bound(steps.begin() + 1, steps.end(), double(value(i)));
    troughs_.push_back({i, above - steps.begin() - 1, value(i)});
  }
  if (troughs_.empty()) return;
  const auto n_weights = std::ssize(model_.weights);
  for (const Trough& trough : troughs_)
    if (trough.entry < n_weights) entries_.push_back(trough.entry);
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  for (std::size_t k = decay_.size(); k <= troughs_.size(); ++k) {
    const double b = model_.boltzmann, count = static_cast<double>(k);
    decay_.push_back(std::exp(-b * count));
    scale_.push_back(k ? (1 - std::exp(-b)) / (1 - std::exp(-b * count)) : 0);
  }
  probabilities_.assign(troughs_.size(), 0);
  add_shares(probabilities_);
  const auto least =
      std::min_element(troughs_.begin(), troughs_.end(),
                       [](const Trough& a, const Trough& b) { return a.height < b.height; });
  probabilities_[static_cast<std::size_t>(least - troughs_.begin())] +=
      model_.no_trough * weight_below_[static_cast<std::size_t>(least->entry)];
  for (std::size_t i = 0; i < troughs_.size(); ++i)
    if (const T probability = static_cast<T>(probabilities_[i]); probability != 0)
      found.push_back({troughs_[i].index, static_cast<double>(probability)});
}

template class TroughCandidates<float>;
template class TroughCandidates<double>;

}  // namespace metalmom::dsp
