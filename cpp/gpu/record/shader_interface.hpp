// What the types in the build's folder shader/ are made of: a shader's interface, as the build
// reads it from the shader (cmake/shader_interface.py). A recorded dispatch fills such a type, so
// one with a buffer too few, in another order or with the push constants of another shader does not
// compile.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "gpu/record/push.hpp"
#include "gpu/slice.hpp"

namespace metalmom::gpu::shader {

// The value of a specialisation constant. It has no default: each dispatch says it.
template <class T>
struct Constant {
  Constant(T given) : value(given) {}
  std::uint32_t word() const {
    if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<std::uint32_t>(value);
    else
      return static_cast<std::uint32_t>(value);
  }
  T value;
};

}  // namespace metalmom::gpu::shader
