// The phase vocoder on the GPU (shaders/vocoder.comp; Flanagan and Golden 1966).
//
// In: (clips, frames, bins). Out: (clips, times, bins). Phases accumulate from the first time to
// the last, so a clip is not cut along time. Bins are independent of each other: a long clip is cut
// along its bins. The table of times (frame before, distance from it) is made here and kept on the
// device.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/phase_vocoder.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::PhaseVocoder> : KernelBase {
  using Op = ops::PhaseVocoder;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) {
    return {host_array(in.spectrum)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.spectrum)};
  }
  static Index units(const Op::Plan& plan) { return plan.n_bins; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_frames, piece.unit, piece.n_units};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_times, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
