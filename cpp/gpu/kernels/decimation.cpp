#include "gpu/kernels/decimation.hpp"

#include <cmath>
#include <numbers>

#include "gpu/record/push.hpp"

namespace metalmom::gpu {

namespace {

// libsoxr's filter is a sinc under a Kaiser window (Kaiser 1974) that passes 0.9137 of the new band
// and nothing beyond it; its cutoff lies in the middle. Length and shape of the window are what its
// impulse response was found to have, to within 8e-8 of the largest tap. Times are in samples of
// the new rate.
constexpr double cutoff = 0.956872, half_length = 97.25, beta = 13.0400;
static_assert(decimate_taps / 2 > half_length + 1 && decimate_taps % decimate_outputs == 0);

double bessel(double x) {  // of the first kind and order zero, modified
  double term = 1, sum = 1;
  for (int k = 1; term > sum * 1e-17; ++k) {
    term *= x / (2 * k) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double response(double time) {
  const double share = time / half_length;
  if (std::abs(share) >= 1) return 0;
  const double angle = std::numbers::pi * cutoff * time;
  const double sinc = angle == 0 ? 1 : std::sin(angle) / angle;
  return cutoff * sinc * bessel(beta * std::sqrt(1 - share * share)) / bessel(beta);
}

}  // namespace

std::vector<float> halving_filter() {
  constexpr int taps = decimate_taps;
  std::vector<float> filter;
  for (int phase = 0; phase < 2; ++phase)
    for (int j = 0; j < taps; ++j)
      filter.push_back(static_cast<float>(response(0.5 * (2 * j + phase - taps)) / 2));
  return filter;
}

}  // namespace metalmom::gpu
