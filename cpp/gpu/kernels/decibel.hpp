// Decibels on the GPU (shaders/decibel.comp, then limit.comp for top_db), and what kernels with
// per-clip maxima share.
//
// A maximum is a word a clip, updated by one atomic operation a workgroup: floats as integers of
// the same order. Its result does not depend on the order of the updates.
#pragma once

#include <limits>

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/decibel.hpp"

namespace metalmom::gpu {

// Why a kernel declines an amin: a device may flush such a number to zero.
inline Reason supports_amin(double amin) {
  return amin >= std::numeric_limits<float>::min() ? nullptr
                                                   : "amin is below the normal numbers of float32";
}

// Bytes of one maximum for each clip, aligned so that what follows can be bound.
inline std::size_t maxima_bytes(Index n_clips) {
  return align_up(static_cast<std::size_t>(n_clips) * sizeof(std::uint32_t));
}

// Why groups of so many values cannot be raised to their maximum, if they cannot.
Reason supports_limit(Index values, const Limits& limits);
// Records that the levels of each group are raised to its maximum less `range`, in place
// (shaders/limit.comp).
void record_limit(Session& session, Slice levels, Slice maxima, Index n_groups, Index values,
                  double range);

template <>
struct Kernel<ops::Decibel> : KernelBase {
  using Op = ops::Decibel;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
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
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
