// What kernels of frames of audio have in common.
#pragma once

#include "gpu/kernels/transform.hpp"

namespace metalmom::gpu {

// The frames of a plan, which is them or has them.
inline const ops::FramePlan& frame_plan(const ops::FramePlan& plan) {
  return plan;
}
template <class Plan>
requires requires(const Plan& plan) {
  plan.frames;
}
const ops::FramePlan& frame_plan(const Plan& plan) {
  return plan.frames;
}

// Of ops that take audio or a stored spectrogram: whichever was given. Their kernels decline the
// latter, but how large it is must be known before they are asked.
template <class In>
HostArray audio_or_stored(const In& in) {
  return host_array(in.y.data || !in.S.data ? in.y : in.S);
}

// In: (clips, samples). A piece is a run of frames with the samples that they cover.
template <class Op_>
struct FramesKernel : KernelBase {
  using Op = Op_;
  static std::array<HostArray, 1> inputs(const typename Op::template In<float>& in) {
    return {host_array(in.y)};
  }
  static Index units(const typename Op::Plan& plan) { return frame_plan(plan).n_frames; }
  static Region input_region(const typename Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(frame_plan(plan), piece);
  }
  // Unless a kernel says otherwise, out: (clips, 1, frames).
  static Region output_region(const typename Op::Plan&, const Piece& piece, std::size_t) {
    return {0, 1, piece.unit, piece.n_units};
  }
};

}  // namespace metalmom::gpu
