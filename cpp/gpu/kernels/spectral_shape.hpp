// Centroid, bandwidth, rolloff and flatness of audio on the GPU (shaders/shape.comp): frames,
// transform and the sums over bins in one kernel, a number a frame.
//
// Out: (clips, 1, frames). The frequencies of bins are a table; which shape is computed, and the
// usual exponents, are specialisation constants. Flatness weighs near-empty bins as much as loud
// ones; a transform in float32 has mostly rounding errors there, so it differs from the CPU's.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/spectral/spectral_shape.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::SpectralShape> : KernelBase {
  using Op = ops::SpectralShape;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) {
    return {host_array(in.y.data || !in.S.data ? in.y : in.S)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {widened(out.shape)};
  }
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
