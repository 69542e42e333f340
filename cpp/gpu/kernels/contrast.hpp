// Spectral contrast of audio on the GPU (shaders/contrast.comp; Jiang, Lu, Zhang, Tao and Cai
// 2002): frames, transform and the search for the lowest and highest values of each band in one
// kernel.
//
// Out: valleys and peaks, (clips, bands, frames). Valleys are near-empty bins, where a transform in
// float32 has mostly its own rounding errors. So valleys of recordings without energy in a band
// differ from the CPU's, which transforms in double.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/spectral/spectral_shape.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::SpectralContrast> : FramesKernel<ops::SpectralContrast> {
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {audio_or_stored(in)}; }
  static std::array<HostArray, 2> outputs(const Op::Out<float>& out) {
    return {widened(out.valley), widened(out.peak)};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, std::ssize(plan.bands), piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
