// Spectra to audio on the GPU: the windowed frames of shaders/inverse.comp, then their sum by
// shaders/overlap.comp, which also serves griffinlim and hpss of audio.
//
// A piece is a run of samples, and holds the frames that reach into it; frames of (clips, frames,
// n_fft) samples are in scratch memory between the two. Neighbouring pieces transform the frames at
// their border twice, so that no piece waits for another.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/core/istft.hpp"

namespace metalmom::gpu {

// The frames that reach into a piece of samples.
struct FrameRange {
  Index first = 0, count = 0;
};
FrameRange frames_of_samples(const ops::Istft::Plan& plan, const Piece& piece);

std::size_t istft_scratch_bytes(const ops::Istft::Plan& plan, const Piece& piece);
struct IstftArrays {
  Slice spectrum;  // the piece's frames alone
  Slice frames;    // scratch of istft_scratch_bytes
  Slice signal;
};
// Records the work of a piece of samples.
void record_istft(Session& session, const ops::Istft::Plan& plan, std::span<const double> window,
                  const Piece& piece, const IstftArrays& arrays);

template <>
struct Kernel<ops::Istft> : KernelBase {
  using Op = ops::Istft;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) {
    return {host_array(in.spectrum)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {host_array(out.y)}; }
  static Index units(const Op::Plan& plan) { return plan.n_samples; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    const FrameRange frames = frames_of_samples(plan, piece);
    return {frames.first, frames.count, 0, plan.n_bins};
  }
  static Region output_region(const Op::Plan&, const Piece& piece, std::size_t) {
    return {0, 1, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices) {
    const Slice frames = session.scratch(istft_scratch_bytes(plan, piece));
    record_istft(session, plan, in.window, piece, {slices.in[0], frames, slices.out[0]});
  }
};

}  // namespace metalmom::gpu
