#include "dsp/spectral_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace metalmom::dsp {

namespace {

constexpr Index n_lanes = 16;
using Sums = double[n_lanes];

// The sum of each lane; one where it is too small to divide by, so that silence keeps its zeros.
template <class T>
void lane_totals(const T* lanes, Index n_bins, double* total) {
  std::fill(total, total + n_lanes, 0.0);
  for (Index bin = 0; bin < n_bins; ++bin)
    for (Index lane = 0; lane < n_lanes; ++lane) total[lane] += lanes[bin * n_lanes + lane];
  for (Index lane = 0; lane < n_lanes; ++lane)
    if (total[lane] < static_cast<double>(std::numeric_limits<T>::min())) total[lane] = 1;
}

template <class T>
void centroids(std::span<const double> freq, const T* lanes, const double* total, double* out) {
  Sums moment = {};
  for (std::size_t bin = 0; bin < freq.size(); ++bin)
    for (Index lane = 0; lane < n_lanes; ++lane)
      moment[lane] += freq[bin] * static_cast<double>(lanes[bin * n_lanes + lane]);
  for (Index lane = 0; lane < n_lanes; ++lane) out[lane] = moment[lane] / total[lane];
}

// Squares around the known centre: the difference of moments would cancel for narrow spectra.
template <class T>
void bandwidths(const ShapeParams& params, std::span<const double> freq, const T* lanes,
                const double* centre, const double* total, double* out) {
  Sums sum = {};
  for (std::size_t bin = 0; bin < freq.size(); ++bin) {
    const T* values = lanes + bin * n_lanes;
    if (params.p == 2) {
      for (Index lane = 0; lane < n_lanes; ++lane) {
        const double deviation = freq[bin] - centre[lane];
        sum[lane] += static_cast<double>(values[lane]) * deviation * deviation;
      }
    } else {
      for (Index lane = 0; lane < n_lanes; ++lane)
        sum[lane] += static_cast<double>(values[lane]) *
                     std::pow(std::abs(freq[bin] - centre[lane]), params.p);
    }
  }
  for (Index lane = 0; lane < n_lanes; ++lane) {
    const double mean = params.norm ? sum[lane] / total[lane] : sum[lane];
    out[lane] = params.p == 2 ? std::sqrt(mean) : std::pow(mean, 1 / params.p);
  }
}

// Sums in T and in the order of the bins, as librosa's cumulative sum: where it crosses the
// threshold is a decision. Twice over the bins, which keeps no running sums.
template <class T>
void rolloffs(const ShapeParams& params, std::span<const double> freq, const T* lanes,
              double* out) {
  T total[n_lanes] = {};
  for (std::size_t bin = 0; bin < freq.size(); ++bin)
    for (Index lane = 0; lane < n_lanes; ++lane) total[lane] += lanes[bin * n_lanes + lane];
  T running[n_lanes] = {}, threshold[n_lanes];
  for (Index lane = 0; lane < n_lanes; ++lane) {
    threshold[lane] = static_cast<T>(params.roll_percent) * total[lane];
    out[lane] = std::numeric_limits<double>::infinity();
  }
  // The smallest frequency at or above the threshold, also where frequencies do not rise.
  for (std::size_t bin = 0; bin < freq.size(); ++bin)
    for (Index lane = 0; lane < n_lanes; ++lane) {
      running[lane] += lanes[bin * n_lanes + lane];
      const double reached =
          running[lane] < threshold[lane] ? std::numeric_limits<double>::infinity() : freq[bin];
      out[lane] = std::min(out[lane], reached);
    }
}

// Geometric over arithmetic mean of the power. The logarithm of a product is taken once: mantissas
// multiply in double, and are brought back to [1, 2) before 900 of them could overflow.
template <class T>
void flatnesses(const ShapeParams& params, Index n_bins, const T* lanes, double* out) {
  constexpr Index group = 900;
  Sums mean = {}, log2_sum = {};
  for (Index first = 0; first < n_bins; first += group) {
    double product[n_lanes];
    std::int64_t exponent[n_lanes] = {};
    std::fill(product, product + n_lanes, 1.0);
    for (Index bin = first; bin < std::min(first + group, n_bins); ++bin)
      for (Index lane = 0; lane < n_lanes; ++lane) {
        const T magnitude = lanes[bin * n_lanes + lane];
        const T power = params.power == 2 ? magnitude * magnitude
                                          : std::pow(magnitude, static_cast<T>(params.power));
        const double value = std::max(params.amin, static_cast<double>(power));
        mean[lane] += value;
        const auto bits = std::bit_cast<std::uint64_t>(value);
        exponent[lane] += static_cast<std::int64_t>(bits >> 52) - 1023;
        product[lane] *= std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
      }
    for (Index lane = 0; lane < n_lanes; ++lane)
      log2_sum[lane] += static_cast<double>(exponent[lane]) + std::log2(product[lane]);
  }
  const auto n = static_cast<double>(n_bins);
  for (Index lane = 0; lane < n_lanes; ++lane)
    out[lane] = std::exp2(log2_sum[lane] / n) / (mean[lane] / n);
}

}  // namespace

template <class T>
void spectral_shape(const ShapeParams& params, std::span<const double> freq, const T* lanes,
                    Index count, const double* centroid, double* out) {
  const auto n_bins = static_cast<Index>(freq.size());
  Sums total, centre = {}, result;
  switch (params.shape) {
    case Shape::centroid:
      lane_totals(lanes, n_bins, total);
      centroids(freq, lanes, total, result);
      break;
    case Shape::bandwidth:
      lane_totals(lanes, n_bins, total);
      if (centroid)
        std::copy(centroid, centroid + count, centre);
      else
        centroids(freq, lanes, total, centre);
      bandwidths(params, freq, lanes, centre, total, result);
      break;
    case Shape::rolloff:
      rolloffs(params, freq, lanes, result);
      break;
    case Shape::flatness:
      flatnesses(params, n_bins, lanes, result);
      break;
  }
  std::copy(result, result + count, out);
}

template void spectral_shape(const ShapeParams&, std::span<const double>, const float*, Index,
                             const double*, double*);
template void spectral_shape(const ShapeParams&, std::span<const double>, const double*, Index,
                             const double*, double*);

// Insertion into two sorted lists of n_tail rows, all lanes at once: tails are 2 % of a band, at
// most a dozen rows of ordinary transforms, so this beats sorting the band.
template <class T>
void spectral_tails(const T* lanes, Index first, Index last, Index n_tail, T* sorted, double* low,
                    double* high) {
  T* const least = sorted;
  T* const greatest = sorted + n_tail * n_lanes;
  std::fill(least, greatest, std::numeric_limits<T>::infinity());
  std::fill(greatest, greatest + n_tail * n_lanes, -std::numeric_limits<T>::infinity());
  for (Index row = first; row < last; ++row) {
    T up[n_lanes], down[n_lanes];
    std::copy(lanes + row * n_lanes, lanes + (row + 1) * n_lanes, up);
    std::copy(up, up + n_lanes, down);
    for (Index k = 0; k < n_tail; ++k)
      for (Index lane = 0; lane < n_lanes; ++lane) {
        T& small = least[k * n_lanes + lane];
        const T smaller = std::min(small, up[lane]);
        up[lane] = std::max(small, up[lane]);
        small = smaller;
        T& great = greatest[k * n_lanes + lane];
        const T greater = std::max(great, down[lane]);
        down[lane] = std::min(great, down[lane]);
        great = greater;
      }
  }
  const auto mean = [&](const T* rows, double* out) {
    for (Index lane = 0; lane < n_lanes; ++lane) {
      double sum = 0;
      for (Index k = 0; k < n_tail; ++k) sum += rows[k * n_lanes + lane];
      out[lane] = sum / static_cast<double>(n_tail);
    }
  };
  mean(least, low);
  mean(greatest, high);
}

template void spectral_tails(const float*, Index, Index, Index, float*, double*, double*);
template void spectral_tails(const double*, Index, Index, Index, double*, double*, double*);

}  // namespace metalmom::dsp
