// The constant-Q transform on the GPU (Schoerkhuber and Klapuri 2010): the audio is halved in rate
// as often as octaves need (shaders/decimate.comp), then the filters of all octaves are applied to
// samples (shaders/octaves.comp).
//
// In: (clips, samples). Out: (clips, frames, bins). The halved signals of a clip lie in a row of
// scratch memory, one rate after the other. Pieces are whole clips, because a frame of a low octave
// depends on many samples through every halving.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/cqt/constant_q.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::ConstantQ> : KernelBase {
  using Op = ops::ConstantQ;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.spectrum)};
  }
  static Region input_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, 1, 0, plan.n_samples};
  }
  static Region output_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, plan.n_frames, 0, plan.n_bins};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
