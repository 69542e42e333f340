// Audio to complex spectra on the GPU (shaders/spectrum.comp): cut into frames, windowed and
// transformed in one kernel; stft stores them, griffinlim and hpss of audio read them on the
// device.
//
// In: (clips, samples). Out: (clips, frames, bins), a frame's bins as neighbours, as the CPU stores
// them. A piece is a run of frames with the samples that they cover, so a long clip is cut
// anywhere. In float32, as all kernels; the CPU transforms in double and rounds.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::gpu {

void record_stft(Session& session, const ops::FramePlan& plan, std::span<const double> window,
                 const Piece& piece, Slice audio, Slice spectrum);
// The same with tables that are there already, of a window times split_scale.
void record_stft(Session& session, const ops::FramePlan& plan, const Slice& tables,
                 const Piece& piece, Slice audio, Slice spectrum);

template <>
struct Kernel<ops::Stft> : FramesKernel<ops::Stft> {
  static Reason supports(const Op::Plan& plan, const Limits& limits) {
    return supports_frames(plan, limits);
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.spectrum)};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {piece.unit, piece.n_units, 0, plan.n_bins};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices) {
    record_stft(session, plan, in.window, piece, slices.in[0], slices.out[0]);
  }
};

}  // namespace metalmom::gpu
