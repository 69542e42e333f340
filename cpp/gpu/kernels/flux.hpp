// Onset strength on the GPU: levels (levels.hpp), then shaders/flux.comp. The flux of a stored
// spectrogram is the second half alone.
#pragma once

#include "gpu/kernels/levels.hpp"
#include "ops/rhythm/onset_strength.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::OnsetStrength> : LevelsKernel<ops::OnsetStrength> {
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.flux)};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return of_last(piece, plan.flux.rows_out(), plan.flux.n_out);
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

template <>
struct Kernel<ops::SpectralFlux> : KernelBase {
  using Op = ops::SpectralFlux;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 2> inputs(const Op::In<float>& in) {
    return {host_array(in.S), host_array(in.ref)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.flux)};
  }
  static Region input_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, plan.n_bands, 0, plan.n_frames};
  }
  static Region output_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, plan.rows_out(), 0, plan.n_out};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
