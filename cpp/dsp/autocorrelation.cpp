#include "dsp/autocorrelation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/cache.hpp"
#include "base/workspace.hpp"
#include "dsp/fft.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {

template <class T>
void autocorrelate(std::span<const T> y, std::span<T> out) {
  if (y.empty() || out.empty()) return;
  const auto fft = real_fft<T>(next_fast_size(2 * std::ssize(y) - 1));
  const Lent<T> x(fft->size());
  const Lent<std::complex<T>> X(fft->n_bins());
  std::copy(y.begin(), y.end(), x.data());
  std::fill(x + std::ssize(y), x + fft->size(), T(0));
  fft->forward(x, X);
  for (Index i = 0; i < fft->n_bins(); ++i) X[i] = std::norm(X[i]);
  fft->inverse(X, x);
  std::copy_n(x.data(), out.size(), out.begin());
}

template void autocorrelate(std::span<const float>, std::span<float>);
template void autocorrelate(std::span<const double>, std::span<double>);

namespace {

// The fewest points >= length of the forms 2^a and 3 2^a, at least 2: a frame of that many complex
// points is padded to twice its length.
Index lane_points(Index length) {
  Index power = 2;
  while (power < length) power *= 2;
  return power >= 8 && power / 4 * 3 >= length ? power / 4 * 3 : power;
}

// Radices of the passes over half the points. What does not fit radix 4 comes first: the last pass
// needs no twiddles, and radix 4 gains most from that.
std::vector<int> lane_radices(Index points) {
  std::vector<int> radices;
  Index rest = points / 2;
  if (rest % 3 == 0) radices.push_back(3), rest /= 3;
  const int twos = std::countr_zero(static_cast<std::uint64_t>(rest));
  if (twos % 2) radices.push_back(2);
  radices.insert(radices.end(), static_cast<std::size_t>(twos / 2), 4);
  return radices;
}

}  // namespace

LocalAutocorrelation::LocalAutocorrelation(Index length) : length_(length) {
  plan_.points = lane_points(length);
  plan_.scale = 1 / (2 * static_cast<double>(plan_.points));
  const std::vector<int> radices = lane_radices(plan_.points);
  fill_twiddles(radices);
  fill_pairs(radices);
  plan_.passes = passes_.data();
  plan_.n_passes = std::ssize(passes_);
  plan_.pairs = pairs_.data();
  plan_.n_pairs = std::ssize(pairs_);
  plan_.twiddles = twiddles_.data();
}

void LocalAutocorrelation::fill_twiddles(const std::vector<int>& radices) {
  const auto add = [this](Index size, Index power) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(power) / static_cast<double>(size);
    twiddles_.push_back(std::cos(angle));
    twiddles_.push_back(std::sin(angle));
  };
  for (Index j = 0; j < plan_.points / 2; ++j) add(plan_.points, j);
  Index size = plan_.points / 2;
  for (const int radix : radices) {
    passes_.push_back({radix, size, std::ssize(twiddles_)});
    for (Index j = 0; j < size / radix; ++j)
      for (int q = 1; q < radix; ++q) add(size, j * q);
    size /= radix;
  }
}

// Which places hold the bins k and points - k: decimation leaves bins in digit-reversed order.
void LocalAutocorrelation::fill_pairs(const std::vector<int>& radices) {
  const Index points = plan_.points, half = points / 2;
  std::vector<Index> place(static_cast<std::size_t>(points));
  for (Index at = 0; at < points; ++at) {
    Index bin = at / half, weight = 2, rest = at % half, size = half;
    for (const int radix : radices) {
      size /= radix;
      bin += weight * (rest / size);
      rest %= size;
      weight *= radix;
    }
    place[static_cast<std::size_t>(bin)] = at;
  }
  for (Index k = 0; k <= half; ++k) {
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(points);
    pairs_.push_back({place[static_cast<std::size_t>(k)],
                      place[static_cast<std::size_t>((points - k) % points)],
                      k == half ? 0 : std::cos(angle), std::sin(angle)});
  }
}

std::size_t LocalAutocorrelation::bytes() const {
  return passes_.size() * sizeof(passes_[0]) + pairs_.size() * sizeof(pairs_[0]) +
         twiddles_.size() * sizeof(twiddles_[0]);
}

void LocalAutocorrelation::block(const double* x, const double* window, Index count, double* out,
                                 Index stride) const {
  const auto autocorrelations = simd::kernels().lags.autocorrelations;
  // Kernels write whole groups of lanes; an incomplete group is written to a tile of its own and
  // copied.
  constexpr Index lanes = simd::most_lag_lanes;
  const Index whole = count / lanes * lanes, left = count - whole;
  const Index work_size = 2 * lanes * plan_.points;
  const Lent<double> work(work_size + lanes * length_);
  autocorrelations(plan_, x, window, length_, whole, work, out, stride);
  if (left == 0) return;
  double* const tile = work + work_size;
  autocorrelations(plan_, x + whole, window, length_, lanes, work, tile, lanes);
  for (Index k = 0; k < length_; ++k) std::copy_n(tile + k * lanes, left, out + k * stride + whole);
}

void LocalAutocorrelation::scaled_sum(const double* x, const double* window, Index count,
                                      double* out) const {
  const Lent<double> work(4 * simd::most_lag_lanes * plan_.points);
  simd::kernels().lags.scaled_sum(plan_, x, window, length_, count,
                                  std::numeric_limits<double>::min(), work, out);
}

std::shared_ptr<const LocalAutocorrelation> local_autocorrelation(Index length) {
  static Cache<Index, LocalAutocorrelation> cache{"build autocorrelation"};
  return cache.get(length, [&] { return std::make_shared<const LocalAutocorrelation>(length); });
}

void normalize_columns(double* values, Index rows, Index count, Index stride, double norm) {
  double lengths[local_frames] = {};
  if (norm == std::numeric_limits<double>::infinity())
    return simd::kernels().lags.normalize_to_peak(values, rows, count, stride,
                                                  std::numeric_limits<double>::min());
  const bool smallest = norm == -std::numeric_limits<double>::infinity();
  if (smallest) std::fill(lengths, lengths + count, std::numeric_limits<double>::infinity());
  const auto gather = [&](auto&& add) {
    for (Index r = 0; r < rows; ++r)
      for (Index t = 0; t < count; ++t)
        lengths[t] = add(lengths[t], std::abs(values[r * stride + t]));
  };
  if (smallest)
    gather([](double length, double v) { return v < length ? v : length; });
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
