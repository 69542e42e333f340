// Tempograms on the GPU (shaders/tempogram.comp; Grosche, Mueller and Kurth 2010).
//
// In: onset envelopes, (clips, 1, values). Out: (clips, lags, frames). A frame is a window of the
// envelope, one value behind the frame before it; a piece is a run of frames with the values that
// they cover. In float32, each frame scaled by a power of two; the CPU's are in double.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/rhythm/tempogram.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Tempogram> : KernelBase {
  using Op = ops::Tempogram;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) {
    return {host_array(in.onset_envelope)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {widened(out.tempogram)};
  }
  static Index units(const Op::Plan& plan) { return plan.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.win_length, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
