// Fundamental frequencies by YIN on the GPU (shaders/yin.comp; de Cheveigne and Kawahara 2002).
//
// In: (clips, samples). Out: (clips, 1, frames). A frame is transformed with so many zeros behind
// it that no period wraps around; only its frequency leaves the kernel. A piece is a run of frames
// with the samples that they cover.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/pitch/yin.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Yin> : FramesKernel<ops::Yin> {
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {widened(out.f0)}; }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
