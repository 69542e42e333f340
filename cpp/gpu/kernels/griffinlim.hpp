// Griffin-Lim on the GPU: all iterations in one submission, nothing leaves the device.
//
// Three spectra of whole clips, (clips, frames, bins), in scratch memory: the estimate, what was
// rebuilt from it, and what was rebuilt before. An iteration is the inverse transform, the forward
// transform, and shaders/phases.comp; the last two spectra change places after each. Source:
// Perraudin, Balazs and Sondergaard 2013.
#pragma once

#include "gpu/kernels/istft.hpp"
#include "gpu/kernels/stft.hpp"
#include "ops/core/griffinlim.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::GriffinLim> : KernelBase {
  using Op = ops::GriffinLim;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 2> inputs(const Op::In<float>& in) {
    return {host_array(in.S), host_array(in.start)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {host_array(out.y)}; }
  static Region input_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, plan.inverse.stored_frames, 0, plan.inverse.n_bins};
  }
  static Region output_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, 1, 0, plan.inverse.n_samples};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
