// Spectral contrast of audio on the GPU (shaders/contrast.comp; Jiang, Lu, Zhang, Tao and Cai
// 2002): frames, transform and the search for the lowest and highest values of each band in one
// kernel.
//
// Out: valleys and peaks, (clips, bands, frames). Valleys are near-empty bins, where a transform in
// float32 has mostly its own rounding errors. So valleys of recordings without energy in a band
// differ from the CPU's, which transforms in double.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/spectral/spectral_shape.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::SpectralContrast> : KernelBase {
  using Op = ops::SpectralContrast;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) {
    return {host_array(in.y.data || !in.S.data ? in.y : in.S)};
  }
  static std::array<HostArray, 2> outputs(const Op::Out<float>& out) {
    return {widened(out.valley), widened(out.peak)};
  }
  static Index units(const Op::Plan& plan) { return plan.frames.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, piece);
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, std::ssize(plan.bands), piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
