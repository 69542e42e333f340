// Division that rounds up: how many parts of a size cover a length; and the length that they cover.
// In the type of the length, which the other number must fit.
#pragma once

#include <concepts>
#include <type_traits>

namespace metalmom {

template <std::integral T>
constexpr T ceil_div(T length, std::type_identity_t<T> part) {
  return (length + part - 1) / part;
}

template <std::integral T>
constexpr T round_up(T length, std::type_identity_t<T> step) {
  return ceil_div(length, step) * step;
}

}  // namespace metalmom
