// Blocks of frames: the unit of work of whatever reads a signal frame by frame.
#pragma once

#include <algorithm>

#include "base/view.hpp"
#include "dsp/frame_transform.hpp"

namespace metalmom::ops {

// Up to 16 consecutive frames of one signal. Between the values of a frame lie those of the others:
// `lanes` values, or 1 where a frame comes alone.
struct Block {
  Index b, first, count;
  Index lanes = dsp::block_frames;
};

// The blocks of a batch of signals. None spans two signals, so that what a signal gives does not
// depend on its neighbours.
struct Blocks {
  Index batch, n_frames;

  Index per_signal() const { return (n_frames + dsp::block_frames - 1) / dsp::block_frames; }
  Index total() const { return batch * per_signal(); }
  Block at(Index i) const {
    const Index first = i % per_signal() * dsp::block_frames;
    return {i / per_signal(), first, std::min(dsp::block_frames, n_frames - first)};
  }
};

// The fewest blocks of a part of parallel work: 64 frames take longer than waking a thread.
inline constexpr Index block_grain = 4;

}  // namespace metalmom::ops
