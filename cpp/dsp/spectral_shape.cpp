#include "dsp/spectral_shape.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

namespace {

constexpr Index n_lanes = simd::n_lanes;
using Sums = double[n_lanes];

// The sum over the bins of each frame, their mean frequency, and the magnitudes behind them. Sums
// of floats stay in the range of double. Where a sum of doubles might not, products with
// frequencies would overflow, too; means are of no scale, so such a frame is made smaller by a
// power of two.
template <class T>
class Moments {
 public:
  Moments(std::span<const double> freq, const T* lanes)
      : lanes_(lanes), smaller_(std::is_same_v<T, double> ? std::ssize(freq) * n_lanes : 0) {
    sum(freq);
    if constexpr (std::is_same_v<T, double>)
      if (std::any_of(total, total + n_lanes, is_loud)) [[unlikely]] {
        for (Index i = 0; i < std::ssize(freq) * n_lanes; ++i)
          smaller_[i] = is_loud(total[i % n_lanes]) ? lanes[i] * 0x1p-200 : lanes[i];
        lanes_ = smaller_;
        sum(freq);
      }
    for (Index lane = 0; lane < n_lanes; ++lane) {
      // Frames of silence are divided by one, so that their shape is zero.
      if (total[lane] < static_cast<double>(std::numeric_limits<T>::min())) total[lane] = 1;
      centre[lane] /= total[lane];
    }
  }

  const T* lanes() const { return lanes_; }

  Sums total, centre;

 private:
  static bool is_loud(double sum) { return sum > 0x1p900; }
  void sum(std::span<const double> freq) {
    simd::shape_kernels<T>().moments(lanes_, std::ssize(freq), freq.data(), total, centre);
  }

  const T* lanes_;
  const Lent<T> smaller_;
};

// Powers of the distance from the centre, in a second pass. (The difference of two moments would
// lose most digits for narrow spectra.)
template <class T>
void bandwidths(const ShapeParams& params, std::span<const double> freq, const T* lanes,
                const double* centre, const double* total, double* out) {
  Sums sum = {};
  if (params.p == 2) {
    simd::shape_kernels<T>().spreads(lanes, std::ssize(freq), freq.data(), centre, sum);
  } else {
    for (std::size_t bin = 0; bin < freq.size(); ++bin)
      for (Index lane = 0; lane < n_lanes; ++lane)
        sum[lane] += static_cast<double>(lanes[bin * n_lanes + lane]) *
                     std::pow(std::abs(freq[bin] - centre[lane]), params.p);
  }
  for (Index lane = 0; lane < n_lanes; ++lane) {
    const double mean = params.norm ? sum[lane] / total[lane] : sum[lane];
    out[lane] = params.p == 2 ? std::sqrt(mean) : std::pow(mean, 1 / params.p);
  }
}

// The smallest of the frequencies from the bin on at which the sum reaches the threshold. `freq`
// need not rise.
template <class T>
void rolloffs(const ShapeParams& params, std::span<const double> freq, const T* lanes,
              double* out) {
  T below[n_lanes];
  simd::shape_kernels<T>().bins_below(lanes, std::ssize(freq), static_cast<T>(params.roll_percent),
                                      below);
  const bool rising = std::is_sorted(freq.begin(), freq.end());
  for (Index lane = 0; lane < n_lanes; ++lane) {
    const auto reached = freq.subspan(static_cast<std::size_t>(below[lane]));
    if (reached.empty())
      out[lane] = std::numeric_limits<double>::infinity();
    else
      out[lane] = rising ? reached[0] : *std::min_element(reached.begin(), reached.end());
  }
}

// The products of ShapeKernels::power_products (simd/kernels.hpp) for powers other than 1 and 2.
template <class T>
void general_products(const ShapeParams& params, const T* lanes, Index n_bins, double* mean,
                      double* product, double* exponent) {
  std::fill(mean, mean + n_lanes, 0.0);
  std::fill(product, product + n_lanes, 1.0);
  std::fill(exponent, exponent + n_lanes, 0.0);
  for (Index bin = 0; bin < n_bins; ++bin)
    for (Index lane = 0; lane < n_lanes; ++lane) {
      const T power = std::pow(lanes[bin * n_lanes + lane], static_cast<T>(params.power));
      const double value = std::max(params.amin, static_cast<double>(power));
      mean[lane] += value;
      int e = 0;
      product[lane] *= 2 * std::frexp(value, &e);
      exponent[lane] += e - 1;
    }
}

// Geometric over arithmetic mean of the power. The logarithm of a product is taken once: mantissas
// in [1, 2) multiply in double, and 900 of them cannot overflow.
template <class T>
void flatnesses(const ShapeParams& params, Index n_bins, const T* lanes, double* out) {
  constexpr Index group = 900;
  Sums mean = {}, log2_sum = {};
  for (Index first = 0; first < n_bins; first += group) {
    Sums sum, product, exponent;
    const T* const here = lanes + first * n_lanes;
    const Index count = std::min(group, n_bins - first);
    if (params.power == 1 || params.power == 2)
      simd::shape_kernels<T>().power_products(here, count, params.power == 2, params.amin, sum,
                                              product, exponent);
    else
      general_products(params, here, count, sum, product, exponent);
    for (Index lane = 0; lane < n_lanes; ++lane) {
      mean[lane] += sum[lane];
      log2_sum[lane] += exponent[lane] + std::log2(product[lane]);
    }
  }
  const auto n = static_cast<double>(n_bins);
  // Powers that overflowed have no mean; their logarithms were taken as if they were large.
  for (Index lane = 0; lane < n_lanes; ++lane)
    out[lane] = std::isfinite(mean[lane]) ? std::exp2(log2_sum[lane] / n) / (mean[lane] / n)
                                          : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

template <class T>
void spectral_shape(const ShapeParams& params, std::span<const double> freq, const T* lanes,
                    Index count, const double* centroid, double* out) {
  const auto n_bins = static_cast<Index>(freq.size());
  Sums result;
  switch (params.shape) {
    case Shape::centroid:
      std::copy_n(Moments(freq, lanes).centre, n_lanes, result);
      break;
    case Shape::bandwidth: {
      Moments moments(freq, lanes);
      if (centroid) std::copy(centroid, centroid + count, moments.centre);
      bandwidths(params, freq, params.norm ? moments.lanes() : lanes, moments.centre, moments.total,
                 result);
      break;
    }
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

// Sorted lists of the tails, all lanes at once: tails are 2 % of a band, at most a dozen rows of
// ordinary transforms, so inserting every row beats sorting the band.
template <class T>
void spectral_tails(const T* lanes, Index first, Index last, Index n_tail, T* sorted, double* low,
                    double* high) {
  T* const least = sorted;
  T* const greatest = sorted + n_tail * n_lanes;
  simd::shape_kernels<T>().tails(lanes + first * n_lanes, last - first, n_tail, least, greatest);
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

template <class T>
void pass_on_nan(const T* lanes, Index first, Index last, double* low, double* high) {
  bool found[n_lanes] = {};
  for (Index row = first; row < last; ++row)
    for (Index lane = 0; lane < n_lanes; ++lane) {
      const T value = lanes[row * n_lanes + lane];
      found[lane] |= value != value;
    }
  for (Index lane = 0; lane < n_lanes; ++lane)
    if (found[lane]) low[lane] = high[lane] = std::numeric_limits<double>::quiet_NaN();
}

template void pass_on_nan(const float*, Index, Index, double*, double*);
template void pass_on_nan(const double*, Index, Index, double*, double*);
template void spectral_tails(const float*, Index, Index, Index, float*, double*, double*);
template void spectral_tails(const double*, Index, Index, Index, double*, double*, double*);

}  // namespace metalmom::dsp
