// Fundamental frequencies by YIN on the GPU (shaders/yin.comp; de Cheveigne and Kawahara 2002).
//
// In: (clips, samples). Out: (clips, 1, frames). A frame is transformed with so many zeros behind
// it that no period wraps around; only its frequency leaves the kernel. A piece is a run of frames
// with the samples that they cover.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/pitch/yin.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Yin> : KernelBase {
  using Op = ops::Yin;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {widened(out.f0)}; }
  static Index units(const Op::Plan& plan) { return plan.frames.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, piece);
  }
  static Region output_region(const Op::Plan&, const Piece& piece, std::size_t) {
    return {0, 1, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
