// Audio to levels in decibels with each clip's maximum, for what then limits them to top_db below
// it: cepstra and onset strength.
//
// No level is final before the clip's last piece has told its maximum. So the levels of a clip stay
// on the device as the carry of its pieces: a word of maximum for each clip, then (clips, bands,
// frames). What follows is one dispatch over whole clips.
#pragma once

#include "gpu/kernels/filterbank.hpp"
#include "ops/core/level_params.hpp"

namespace metalmom::gpu {

struct Levels {
  Slice maxima, levels;

  // The maxima, or null where levels are not limited.
  Slice limit(double top_db) const;
};

Reason supports_levels(const ops::BandPlan& plan, const ops::FrameLevelParams& params,
                       const Limits& limits);
std::size_t level_bytes(const ops::BandPlan& plan, Index n_clips);
// Records the levels of a piece into its carry. Kernels of the same audio that ask for the same
// levels share them.
Levels record_levels(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                     const Piece& piece, const Slices& slices, double amin);

template <class Op>
struct LevelsKernel : FramesKernel<Op> {
  static std::size_t carry_bytes(const typename Op::Plan& plan, Index n_clips) {
    return level_bytes(plan, n_clips);
  }
  // A result that a clip's last piece makes of all its levels.
  static Region of_last(const Piece& piece, Index rows, Index cols) {
    return piece.last ? Region{0, rows, 0, cols} : Region{};
  }
};

}  // namespace metalmom::gpu
