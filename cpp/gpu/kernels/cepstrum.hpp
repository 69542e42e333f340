// Cepstra on the GPU without a round trip: levels (levels.hpp), then shaders/dct.comp raises them
// to their clip's maximum less top_db and multiplies by the DCT matrix. The DCT of a stored
// spectrogram is the second half alone.
#pragma once

#include "gpu/kernels/levels.hpp"
#include "ops/spectral/cepstrum.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Cepstrum> : LevelsKernel<ops::Cepstrum> {
  static Reason supports(const Op::Plan& plan, const Limits& limits) {
    return supports_levels(plan, plan, limits);
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.cepstra)};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return of_last(piece, plan.dct->n_bands(), plan.frames.n_frames);
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

template <>
struct Kernel<ops::Dct> : KernelBase {
  using Op = ops::Dct;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.S)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.cepstra)};
  }
  static Index units(const Op::Plan& plan) { return plan.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_bands, piece.unit, piece.n_units};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.dct->n_bands(), piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
