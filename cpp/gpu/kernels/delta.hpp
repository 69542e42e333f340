// Derivatives along frames on the GPU (shaders/delta.comp; Savitzky and Golay 1964).
//
// In and out: (rows, frames, columns). A row is not cut along its frames; its columns do not depend
// on each other, so a large one is cut along them. The weights are made here and kept on the
// device, for frames near the ends as well.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/delta.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Delta> : KernelBase {
  using Op = ops::Delta;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.x)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.derivative)};
  }
  static Index units(const Op::Plan& plan) { return plan.n_columns; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_frames, piece.unit, piece.n_units};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_frames, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
