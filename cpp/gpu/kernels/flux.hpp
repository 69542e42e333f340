// Onset strength on the GPU: bands in decibels with each clip's maximum, then shaders/flux.comp.
//
// As for cepstra, the levels stay on the device as the carry of a clip's pieces. The flux is one
// dispatch over whole clips, once their maximum is known. The flux of a stored spectrogram is the
// second half alone.
#pragma once

#include "gpu/kernels/filterbank.hpp"
#include "ops/rhythm/onset_strength.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::OnsetStrength> : KernelBase {
  using Op = ops::OnsetStrength;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.flux)};
  }
  static Index units(const Op::Plan& plan) { return plan.frames.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, piece);
  }
  // Nothing before a clip's last piece: levels are clamped to the clip's maximum, known only then.
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    if (!piece.last) return {};
    return {0, plan.flux.rows_out(), 0, plan.flux.n_out};
  }
  static std::size_t carry_bytes(const Op::Plan& plan, Index n_clips);
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

template <>
struct Kernel<ops::SpectralFlux> : KernelBase {
  using Op = ops::SpectralFlux;
  static const char* supports(const Op::Plan& plan, const Limits& limits);
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
