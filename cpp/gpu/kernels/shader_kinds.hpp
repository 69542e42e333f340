// Exponents, norms and modes as the shaders have them: numbers of shaders/constants.h.
#pragma once

#include <cmath>

#include "gpu/record/push.hpp"

namespace metalmom::gpu {

// The power_kind of shaders/levels.glsl: exponents that have code of their own.
inline std::uint32_t power_kind(double power) {
  return power == 1 || power == 2 || power == 3 || power == 4 ? static_cast<std::uint32_t>(power)
                                                              : power_pushed;
}

// The norm_kind of shaders/levels.glsl: by which norm a frame is divided.
inline std::uint32_t norm_kind(bool normalize, double norm) {
  if (!normalize) return norm_none;
  if (std::isinf(norm)) return norm > 0 ? norm_maximum : norm_minimum;
  if (norm == 0) return norm_count;
  if (norm == 1) return norm_sum;
  return norm == 2 ? norm_euclid : norm_power;
}

// Whether a shader has the number of an enumerator, for static_assert.
template <class Enum>
constexpr bool agrees(Enum value, uint in_shaders) {
  return static_cast<uint>(value) == in_shaders;
}

}  // namespace metalmom::gpu
