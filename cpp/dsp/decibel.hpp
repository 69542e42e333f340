// Levels in decibels.
#pragma once

#include <limits>
#include <span>

#include "base/view.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::dsp {

// The scale of a conversion: 10 log10(max(amin, x)) - 10 log10(max(amin, ref)), x squared first for
// amplitudes (amin and ref are then those of the power).
template <class T>
struct DecibelScale {
  T amin = T(defaults::amin);
  double ref = 1;  // a power, at least amin: the level of 0 dB
  bool amplitude = false;
};

// Converts `count` values and returns the largest result (-infinity for none). NaN stays NaN, and
// then the largest is NaN, as NumPy's maximum has it. `in` and `out` may be the same memory.
template <class T>
T to_decibel(const T* in, Index count, const DecibelScale<T>& scale, T* out);

// The largest of at least one value; NaN if there is one.
template <class T>
T largest_of(const T* values, Index count);

// A floor below all levels.
inline constexpr double no_floor = -std::numeric_limits<double>::infinity();

// Raises values below `floor` to it. A floor of NaN makes all of them NaN, as in NumPy's maximum.
// `values` and `out` may be the same memory.
template <class T>
void clamp_below(const T* values, Index count, T floor, T* out);

}  // namespace metalmom::dsp
