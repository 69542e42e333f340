#include "dsp/decibel.hpp"

#include <algorithm>
#include <limits>

#include "dsp/elementary.hpp"

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
  constexpr Index lanes = 16;
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  T best[lanes];
  std::fill(best, best + lanes, lowest);
  const auto convert = [&](Index i) {
    const T power = scale.amplitude ? in[i] * in[i] : in[i];
    const T raised = power < scale.amin ? scale.amin : power;  // NaN stays
    const T level = T(10) * log10_of(raised) - scale.offset;
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
