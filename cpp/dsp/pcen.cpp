#include "dsp/pcen.hpp"

#include <cmath>

#include "dsp/elementary.hpp"

namespace metalmom::dsp {

template <class T>
double smooth_energy(const T* x, Index count, double b, double state, double* smoothed) {
  for (Index i = 0; i < count; ++i) {
    const double y = b * static_cast<double>(x[i]) + state;
    smoothed[i] = y;
    state = (1 - b) * y;
  }
  return state;
}

template double smooth_energy(const float*, Index, double, double, double*);
template double smooth_energy(const double*, Index, double, double, double*);

template <class T>
void compress_energy(const PcenParams& params, const T* S, const double* smoothed, Index count,
                     double* out) {
  const auto [b, gain, bias, power, eps] = params;
  // One vectorised pass makes the gained energy, a second one compresses it.
  for (Index i = 0; i < count; ++i)
    out[i] = static_cast<double>(S[i]) * exp_of(-gain * log_of(eps + smoothed[i]));
  if (power == 0) {
    for (Index i = 0; i < count; ++i) out[i] = std::log1p(out[i]);
  } else if (bias == 0) {
    for (Index i = 0; i < count; ++i) out[i] = std::pow(out[i], power);
  } else if (power == 0.5) {
    // sqrt(1 + r) - 1 without the cancellation, for r = gained energy over bias.
    const double scale = std::sqrt(bias);
    for (Index i = 0; i < count; ++i) {
      const double r = out[i] / bias;
      out[i] = scale * (r / (std::sqrt(1 + r) + 1));
    }
  } else {
    const double scale = std::pow(bias, power);
    for (Index i = 0; i < count; ++i)
      out[i] = scale * std::expm1(power * std::log1p(out[i] / bias));
  }
}

template void compress_energy(const PcenParams&, const float*, const double*, Index, double*);
template void compress_energy(const PcenParams&, const double*, const double*, Index, double*);

}  // namespace metalmom::dsp
