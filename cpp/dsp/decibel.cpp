#include "dsp/decibel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace metalmom::dsp {

namespace {

// log10 for positive normal and denormal floats, within 4 ulp (0.5e-6 dB
// at 0 dB); NaN and infinity pass through. Branch-free,
// so that the loops below vectorise: x = m 2^e with m in [2/3, 4/3), and ln(m) as the odd series
// of s = (m - 1) / (m + 1), |s| <= 1/5 (Muller, Elementary Functions, 2nd ed., section 11).
inline float log10_value(float x) {
  const bool tiny = x < std::numeric_limits<float>::min();
  const float scaled = tiny ? x * 0x1p24f : x;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(scaled);
  const std::uint32_t shifted = bits - 0x3f2aaaabu;  // 2/3
  const auto exponent = static_cast<std::int32_t>(shifted) >> 23;
  const float m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(exponent) << 23));
  const float e = static_cast<float>(exponent) - (tiny ? 24.0f : 0.0f);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float s2 = s * s;
  // 2 atanh(s) / ln(10), coefficients 2 / ((2k + 1) ln 10).
  float p = 0.0668136f;
  p = p * s2 + 0.0789615f;
  p = p * s2 + 0.0965085f;
  p = p * s2 + 0.12408412f;
  p = p * s2 + 0.17371779f;
  p = p * s2 + 0.28952965f;
  const float tail = s * s2 * p + e * 4.6050390e-06f;  // log10(2) minus the part below
  const float head = s * 0.86858896f;
  const float result = e * 0.30102539f + (head + tail);
  return x < std::numeric_limits<float>::infinity() ? result : x;
}

inline double log10_value(double x) {
  return std::log10(x);
}

// The larger of two; NaN wins and stays.
template <class T>
inline T larger(T best, T value) {
  return value > best || value != value ? value : best;
}

}  // namespace

template <class T>
T to_decibel(const T* in, Index count, const DecibelScale<T>& scale, T* out) {
  constexpr Index lanes = 16;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  T best[lanes];
  std::fill(best, best + lanes, lowest);
  const auto convert = [&](Index i) {
    const T power = scale.amplitude ? in[i] * in[i] : in[i];
    const T raised = power < scale.amin ? scale.amin : power;  // NaN stays
    const T level = T(10) * log10_value(raised) - scale.offset;
    out[i] = level;
    return level;
  };
  const Index whole = count / lanes * lanes;
  for (Index i = 0; i < whole; i += lanes)
    for (Index lane = 0; lane < lanes; ++lane) {
      const T level = convert(i + lane);
      best[lane] = larger(best[lane], level);
    }
  T largest = lowest;
  for (Index i = whole; i < count; ++i) {
    const T level = convert(i);
    largest = larger(largest, level);
  }
  for (const T each : best) largest = larger(largest, each);
  return largest;
}

template float to_decibel(const float*, Index, const DecibelScale<float>&, float*);
template double to_decibel(const double*, Index, const DecibelScale<double>&, double*);

template <class T>
T largest_of(const T* values, Index count) {
  T largest = values[0];
  for (Index i = 1; i < count; ++i) largest = larger(largest, values[i]);
  return largest;
}

template float largest_of(const float*, Index);
template double largest_of(const double*, Index);

template <class T>
void clamp_below(T* values, Index count, T floor) {
  for (Index i = 0; i < count; ++i) values[i] = values[i] >= floor ? values[i] : floor;
}

template void clamp_below(float*, Index, float);
template void clamp_below(double*, Index, double);

}  // namespace metalmom::dsp
