#include "dsp/autocorrelation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "base/buffer.hpp"
#include "dsp/fft.hpp"

namespace metalmom::dsp {

template <class T>
void autocorrelate(std::span<const T> y, std::span<T> out) {
  if (y.empty() || out.empty()) return;
  const auto fft = real_fft<T>(next_fast_size(2 * std::ssize(y) - 1));
  static thread_local Scratch<T> samples;
  static thread_local Scratch<std::complex<T>> bins;
  T* const x = samples.get(static_cast<std::size_t>(fft->size()));
  std::complex<T>* const X = bins.get(static_cast<std::size_t>(fft->n_bins()));
  std::copy(y.begin(), y.end(), x);
  std::fill(x + y.size(), x + fft->size(), T(0));
  fft->forward(x, X);
  for (Index i = 0; i < fft->n_bins(); ++i) X[i] = std::norm(X[i]);
  fft->inverse(X, x);
  std::copy_n(x, out.size(), out.begin());
}

template void autocorrelate(std::span<const float>, std::span<float>);
template void autocorrelate(std::span<const double>, std::span<double>);

namespace {

// Above this length two transforms a frame cost less than the direct sums.
constexpr Index direct_length = 640;

void transform_frames(const double* x, std::span<const double> window, Index count, double* out,
                      Index stride) {
  static thread_local Scratch<double> scratch;
  double* const frame = scratch.get(2 * window.size());
  double* const lags = frame + window.size();
  for (Index t = 0; t < count; ++t) {
    for (std::size_t i = 0; i < window.size(); ++i) frame[i] = window[i] * x[t + i];
    autocorrelate<double>({frame, window.size()}, {lags, window.size()});
    for (std::size_t k = 0; k < window.size(); ++k) out[k * stride + t] = lags[k];
  }
}

}  // namespace

// A lag is a finite impulse response filter: products x[t] x[t + k] depend on the lag alone, and so
// do the weights window[i] window[i + k]. Frames are the lanes, so every weight is used on all.
// Frames of silence give exact zeros, which a transform shared between frames would not.
void local_autocorrelation(const double* x, std::span<const double> window, Index count,
                           double* out, Index stride) {
  const Index length = std::ssize(window);
  if (length > direct_length) return transform_frames(x, window, count, out, stride);
  double products[local_frames + direct_length], weights[direct_length];
  for (Index k = 0; k < length; ++k) {
    const Index n = length - k;
    for (Index i = 0; i < n + local_frames - 1; ++i) products[i] = x[i] * x[i + k];
    for (Index i = 0; i < n; ++i) weights[i] = window[i] * window[i + k];
    double sums[local_frames] = {};
    for (Index i = 0; i < n; ++i)
      for (Index t = 0; t < local_frames; ++t) sums[t] += weights[i] * products[i + t];
    std::copy_n(sums, count, out + k * stride);
  }
}

void normalize_columns(double* values, Index rows, Index count, Index stride, double norm) {
  double lengths[local_frames] = {};
  const bool smallest = norm == -std::numeric_limits<double>::infinity();
  if (smallest) std::fill(lengths, lengths + count, std::numeric_limits<double>::infinity());
  const auto gather = [&](auto&& add) {
    for (Index r = 0; r < rows; ++r)
      for (Index t = 0; t < count; ++t)
        lengths[t] = add(lengths[t], std::abs(values[r * stride + t]));
  };
  if (smallest)
    gather([](double length, double v) { return v < length ? v : length; });
  else if (std::isinf(norm))
    gather([](double length, double v) { return v > length ? v : length; });
  else if (norm == 0)
    gather([](double length, double v) { return length + (v > 0); });
  else
    gather([norm](double length, double v) { return length + std::pow(v, norm); });
  for (Index t = 0; t < count; ++t) {
    if (std::isfinite(norm) && norm > 0) lengths[t] = std::pow(lengths[t], 1 / norm);
    if (lengths[t] < std::numeric_limits<double>::min()) lengths[t] = 1;
  }
  for (Index r = 0; r < rows; ++r)
    for (Index t = 0; t < count; ++t) values[r * stride + t] /= lengths[t];
}

}  // namespace metalmom::dsp
