// Centroid, bandwidth, rolloff and flatness of audio on the GPU (shaders/shape.comp): frames,
// transform and the sums over bins in one kernel, a number a frame.
//
// Out: (clips, 1, frames). The frequencies of bins are a table; which shape is computed, and the
// usual exponents, are specialisation constants. Flatness weighs near-empty bins as much as loud
// ones; a transform in float32 has mostly rounding errors there, so it differs from the CPU's.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/spectral/spectral_shape.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::SpectralShape> : FramesKernel<ops::SpectralShape> {
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {audio_or_stored(in)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {widened(out.shape)};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
