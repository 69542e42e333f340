#include "dsp/derivatives.hpp"

#include <algorithm>

#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

std::vector<double> PolynomialFit::weights_at(Index frame) const {
  std::vector<double> weights(static_cast<std::size_t>(width), 0.0);
  for (Index c = 0; c < n_coefficients; ++c) {
    const double at_time = at_times[static_cast<std::size_t>(frame * n_coefficients + c)];
    for (Index k = 0; k < width; ++k)
      weights[static_cast<std::size_t>(k)] +=
          at_time * fit[static_cast<std::size_t>(c * width + k)];
  }
  return weights;
}

Index frame_at(Index place, Index n, Ends ends) {
  const auto modulo = [&](Index period) { return (place % period + period) % period; };
  switch (ends) {
    case Ends::mirror: {
      const Index period = std::max<Index>(2 * (n - 1), 1), within = modulo(period);
      return within < n ? within : period - within;
    }
    case Ends::wrap:
      return modulo(n);
    case Ends::constant:
      return place >= 0 && place < n ? place : -1;
    default:
      return std::clamp<Index>(place, 0, n - 1);
  }
}

namespace {

// The polynomial of the whole window at `window`, at those of its frames that have no window of
// their own: `count` of them from `first`.
template <class T>
void end_of_row(const PolynomialFit& fit, const T* window, Index first, Index count, T* out) {
  std::vector<double> coefficients;
  for (Index c = 0; c < fit.n_coefficients; ++c) {
    double sum = 0;
    for (Index k = 0; k < fit.width; ++k)
      sum += fit.fit[static_cast<std::size_t>(c * fit.width + k)] * static_cast<double>(window[k]);
    coefficients.push_back(sum);
  }
  for (Index i = 0; i < count; ++i) {
    const auto at = fit.at_times.subspan(static_cast<std::size_t>((first + i) * fit.n_coefficients),
                                         coefficients.size());
    double sum = 0;
    for (std::size_t c = 0; c < coefficients.size(); ++c) sum += at[c] * coefficients[c];
    out[i] = static_cast<T>(sum);
  }
}

}  // namespace

template <class T>
void derive_row(const PolynomialFit& fit, std::span<const double> central, Ends ends, T constant,
                T* row, Index n, T* out) {
  const auto sums = simd::value_kernels<T>().sliding_sums;
  const Index half = fit.width / 2;
  T* const frames = row + half;
  if (ends == Ends::interp) {
    sums(frames, central.data(), fit.width, n - 2 * half, out + half);
    end_of_row(fit, frames, 0, half, out);
    end_of_row(fit, frames + n - fit.width, half + 1, half, out + n - half);
    return;
  }
  for (Index i = 0; i < half; ++i)
    for (const Index place : {-1 - i, n + i}) {
      const Index from = frame_at(place, n, ends);
      frames[place] = from < 0 ? constant : frames[from];
    }
  sums(row, central.data(), fit.width, n, out);
}

template void derive_row(const PolynomialFit&, std::span<const double>, Ends, float, float*, Index,
                         float*);
template void derive_row(const PolynomialFit&, std::span<const double>, Ends, double, double*,
                         Index, double*);

}  // namespace metalmom::dsp
