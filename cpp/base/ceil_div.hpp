// Division that rounds up: how many parts of a size cover a length; and the length that they cover.
#pragma once

#include <concepts>
#include <type_traits>

#include "base/index.hpp"

namespace metalmom {

template <std::integral T = Index>
constexpr T ceil_div(T length, std::type_identity_t<T> part) {
  return (length + part - 1) / part;
}

template <std::integral T = Index>
constexpr T round_up(T length, std::type_identity_t<T> step) {
  return ceil_div(length, step) * step;
}

}  // namespace metalmom
