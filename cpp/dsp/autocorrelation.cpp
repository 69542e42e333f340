#include "dsp/autocorrelation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "base/buffer.hpp"
#include "dsp/bands.hpp"
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
constexpr Index direct_length = 128;

// A power of two where the kernels have one: in double it costs what a smaller size of many factors
// costs in the library.
Index transform_size(Index n) {
  const auto power = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  return power <= 4096 ? power : next_fast_size(n);
}

// One transform per frame, so that silent frames stay exactly zero. Lags of 16 frames are turned
// into columns together: single values would touch a cache line each.
void transform_frames(const double* x, std::span<const double> window, Index count, double* out,
                      Index stride) {
  const Index length = std::ssize(window);
  const auto fft = real_fft<double>(transform_size(2 * length - 1));
  const Index size = fft->size();
  static thread_local Scratch<double> scratch;
  static thread_local Scratch<std::complex<double>> bin_scratch;
  const Index row = (size + 15) / 8 * 8;  // aligned, and not a power of two
  double* const rows = scratch.get(static_cast<std::size_t>(16 * row + 16 * length + size));
  double* const lanes = rows + 16 * row;
  double* const frame = lanes + 16 * length;
  std::complex<double>* const bins = bin_scratch.get(static_cast<std::size_t>(fft->n_bins()));
  std::fill(frame + length, frame + size, 0.0);
  for (Index first = 0; first < count; first += 16) {
    const Index used = std::min<Index>(16, count - first);
    for (Index t = 0; t < used; ++t) {
      for (Index i = 0; i < length; ++i) frame[i] = window[i] * x[first + t + i];
      fft->forward(frame, bins);
      for (Index i = 0; i < fft->n_bins(); ++i) bins[i] = std::norm(bins[i]);
      fft->inverse(bins, rows + t * row);
    }
    load_lanes(rows, length, Index(1), row, used, lanes);
    for (Index k = 0; k < length; ++k) std::copy_n(lanes + k * 16, used, out + k * stride + first);
  }
}

}  // namespace

// A lag is a finite impulse response filter: products x[t] x[t + k] depend on the lag alone, and so
// do the weights window[i] window[i + k]. Frames are the lanes, so every weight is used on all.
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
