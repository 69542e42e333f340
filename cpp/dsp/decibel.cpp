#include "dsp/decibel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

namespace {

// The larger of two; NaN wins and stays.
template <class T>
inline T larger(T best, T value) {
  return value > best || value != value ? value : best;
}

}  // namespace

template <class T>
T to_decibel(const T* in, Index count, const DecibelScale<T>& scale, T* out) {
  // The engine reads smaller ones as zero, which has no logarithm.
  const T amin = std::max(scale.amin, std::numeric_limits<T>::min());
  // Beyond the normal numbers of T a reference has no logarithm there.
  if (const auto ref = static_cast<T>(scale.ref); std::isnormal(ref))
    return simd::value_kernels<T>().levels(in, count, amin, ref, scale.amplitude, out);
  T largest = -std::numeric_limits<T>::infinity();
  const double log_ref = std::log10(scale.ref);
  for (Index i = 0; i < count; ++i) {
    const T power = scale.amplitude ? in[i] * in[i] : in[i];
    const T raised = power < amin ? amin : power;  // NaN stays
    out[i] = static_cast<T>(10 * (std::log10(static_cast<double>(raised)) - log_ref));
    largest = larger(largest, out[i]);
  }
  return largest;
}

template float to_decibel(const float*, Index, const DecibelScale<float>&, float*);
template double to_decibel(const double*, Index, const DecibelScale<double>&, double*);

template <class T>
T largest_of(const T* values, Index count) {
  constexpr Index lanes = 32;  // that do not wait for one another
  std::array<T, lanes> best;
  best.fill(values[0]);
  Index i = 0;
  for (; i + lanes <= count; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) best[lane] = larger(best[lane], values[i + lane]);
  T largest = best[0];
  for (const T each : best) largest = larger(largest, each);
  for (; i < count; ++i) largest = larger(largest, values[i]);
  return largest;
}

template float largest_of(const float*, Index);
template double largest_of(const double*, Index);

template <class T>
void clamp_below(const T* values, Index count, T floor, T* out) {
  for (Index i = 0; i < count; ++i) out[i] = values[i] >= floor ? values[i] : floor;
}

template void clamp_below(const float*, Index, float, float*);
template void clamp_below(const double*, Index, double, double*);

}  // namespace metalmom::dsp
