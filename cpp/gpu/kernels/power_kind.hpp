// Exponents of magnitudes as the shaders have them.
#pragma once

#include "gpu/push.hpp"

namespace metalmom::gpu {

// The power_kind of shaders/levels.glsl: exponents that have code of their own.
inline std::uint32_t power_kind(double power) {
  return power == 1 || power == 2 || power == 3 || power == 4 ? static_cast<std::uint32_t>(power)
                                                              : power_pushed;
}

}  // namespace metalmom::gpu
