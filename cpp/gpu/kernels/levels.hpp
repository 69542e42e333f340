// Decibels on the GPU (shaders/decibel.comp, then limit.comp for top_db), and what kernels with
// per-clip maxima share.
//
// A maximum is a word a clip, updated by one atomic operation a workgroup: floats as integers of
// the same order. Its result does not depend on the order of the updates.
#pragma once

#include <algorithm>

#include "base/ceil_div.hpp"
#include "gpu/kernel.hpp"
#include "gpu/push.hpp"
#include "gpu/session.hpp"
#include "ops/core/decibel.hpp"

namespace metalmom::gpu {

// Why a kernel declines an amin that the device may flush to zero.
inline constexpr const char* below_float = "amin is below the normal numbers of float32";

// Bytes of one maximum for each clip, aligned so that what follows can be bound.
inline std::size_t maxima_bytes(Index n_clips) {
  return (static_cast<std::size_t>(n_clips) * 4 + 255) / 256 * 256;
}

// A thread for each of `values`, and a row of groups for each of `rows`, folded where the device
// allows fewer.
inline Groups value_groups(Index values, std::uint32_t threads, Index rows, const Limits& limits) {
  const auto n_rows = static_cast<std::uint32_t>(rows);
  const std::uint32_t height = std::min(n_rows, limits.groups_yz);
  return {static_cast<std::uint32_t>(ceil_div(values, threads)), height, ceil_div(n_rows, height)};
}

template <>
struct Kernel<ops::Decibel> : KernelBase {
  using Op = ops::Decibel;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.S)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.level)};
  }
  // With a limit no value is known before all of its group's are.
  static Index units(const Op::Plan& plan);
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t i) {
    return input_region(plan, piece, i);
  }
  static std::size_t scratch_bytes(const Op::Plan&, const Piece& piece) {
    return maxima_bytes(piece.n_clips);
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
