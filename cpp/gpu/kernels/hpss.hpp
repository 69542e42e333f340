// Harmonic-percussive separation on the GPU: of a spectrogram, and of audio (Fitzgerald 2010).
//
// (clips, rows, columns), rows as they lie in memory, so time or frequency. A spectrogram is cut
// into pieces of rows, each with half a window of rows around its own; complex ones get magnitudes
// first, in scratch memory, since each is read 62 times. Audio goes by whole clips: transform,
// separation, two inverse transforms, in one submission.
#pragma once

#include "gpu/kernels/istft.hpp"
#include "gpu/kernels/stft.hpp"
#include "ops/effects/hpss.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Hpss> : KernelBase {
  using Op = ops::Hpss;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.S)}; }
  static std::array<HostArray, 2> outputs(const Op::Out<float>& out) {
    return {host_array(out.harmonic), host_array(out.percussive)};
  }
  static Index units(const Op::Plan& plan) { return plan.rows; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {piece.unit, piece.n_units, 0, plan.out_cols()};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

template <>
struct Kernel<ops::HpssAudio> : KernelBase {
  using Op = ops::HpssAudio;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 2> outputs(const Op::Out<float>& out) {
    return {host_array(out.harmonic), host_array(out.percussive)};
  }
  static Region input_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, 1, 0, plan.forward.n_samples};
  }
  static Region output_region(const Op::Plan& plan, const Piece&, std::size_t) {
    return {0, 1, 0, plan.forward.n_samples};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
