// Cepstra on the GPU without a round trip: bands in decibels with each clip's maximum, then
// shaders/dct.comp raises them to the maximum less top_db and multiplies by the DCT matrix.
//
// The levels of a clip stay on the device as the carry of its pieces, (clips, bands, frames) with a
// word of maximum for each clip before them, since no level is final before the clip's last piece
// has told its maximum. The DCT is then one dispatch over whole clips.
#pragma once

#include "gpu/kernels/filterbank.hpp"
#include "ops/spectral/cepstrum.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Cepstrum> : KernelBase {
  using Op = ops::Cepstrum;
  static const char* supports(const Op::Plan& plan, const Limits& limits) {
    return supports_levels(plan, plan.amin, limits);
  }
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.cepstra)};
  }
  static Index units(const Op::Plan& plan) { return plan.frames.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, piece);
  }
  // Nothing before a clip's last piece: levels are clamped to the clip's maximum, known only then.
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    if (!piece.last) return {};
    return {0, plan.dct->n_bands(), 0, plan.frames.n_frames};
  }
  static std::size_t carry_bytes(const Op::Plan& plan, Index n_clips);
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

template <>
struct Kernel<ops::Dct> : KernelBase {
  using Op = ops::Dct;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
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
