// How many groups of threads a dispatch has.
#pragma once

#include <algorithm>

#include "base/ceil_div.hpp"
#include "gpu/kernel.hpp"
#include "gpu/record/session.hpp"

namespace metalmom::gpu {

// A thread for each of `values`, and a row of groups for each of `rows`. Devices allow many groups
// along x alone, so rows go along y and z: shaders/row.glsl makes one number of the two again.
inline Groups value_groups(Index values, std::uint32_t threads, Index rows, const Limits& limits) {
  const auto n_rows = static_cast<std::uint32_t>(rows);
  const std::uint32_t height = std::min(n_rows, limits.groups_yz);
  return {static_cast<std::uint32_t>(ceil_div(values, threads)), height, ceil_div(n_rows, height)};
}

// A group for every `frames` frames of every clip of a piece.
inline Groups frame_groups(const Piece& piece, std::uint32_t frames, const Limits& limits) {
  return value_groups(piece.n_units, frames, piece.n_clips, limits);
}

// For shaders whose threads go over all values in a stride of the whole grid: no more groups than
// fill a device.
inline Groups strided_groups(Index values, std::uint32_t threads) {
  constexpr Index most = 8192;
  return {static_cast<std::uint32_t>(std::min(ceil_div(values, threads), most))};
}

}  // namespace metalmom::gpu
