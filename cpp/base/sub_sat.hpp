// Subtraction of unsigned numbers that stops at zero, as std::sub_sat of C++26 does.
#pragma once

#include <concepts>
#include <type_traits>

namespace metalmom {

template <std::unsigned_integral T>
constexpr T sub_sat(T from, std::type_identity_t<T> what) {
  return from > what ? from - what : 0;
}

}  // namespace metalmom
