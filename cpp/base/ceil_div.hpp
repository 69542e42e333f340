// Division that rounds up: how many parts of a size cover a length.
#pragma once

#include "base/index.hpp"

namespace metalmom {

constexpr Index ceil_div(Index length, Index part) {
  return (length + part - 1) / part;
}

}  // namespace metalmom
