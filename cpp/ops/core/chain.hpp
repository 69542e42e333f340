// The order of a pipeline's consumers.
#pragma once

#include <cstdint>
#include <tuple>

#include "ops/core/consumer.hpp"

namespace metalmom::ops {

// A key that sorts consumers such that those which share a value are neighbours.
inline auto chain_of(const Tap& tap) {
  const bool of_bands = tap.value >= Tap::Value::bands;
  const auto basis = reinterpret_cast<std::uintptr_t>(of_bands ? tap.basis : nullptr);
  return std::tuple{
      tap.value != Tap::Value::samples, tap.wide, tap.power, basis, tap.value, tap.amin, tap.floor};
}

}  // namespace metalmom::ops
