// The frame loop of every op that starts from a magnitude spectrogram: blocks of frames stay in
// cache from window to whatever consumes them, and the spectrogram never exists.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "base/buffer.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/frame_params.hpp"

namespace metalmom::ops {

// Blocks of 16 frames of a batch of signals; a block never spans two signals, so what a signal
// gives does not depend on its neighbours.
struct Blocks {
  Index batch, n_frames;

  Index per_signal() const { return (n_frames + dsp::block_frames - 1) / dsp::block_frames; }
  Index total() const { return batch * per_signal(); }

  struct Block {
    Index b, first, count;
  };
  Block at(Index i) const {
    const Index first = i % per_signal() * dsp::block_frames;
    return {i / per_signal(), first, std::min(dsp::block_frames, n_frames - first)};
  }
};

// Blocks that one part of parallel work has at least: 64 frames, above what waking a thread costs.
inline constexpr Index block_grain = 4;

// A thread's lanes for `rows` rows of 16 frames. `slot` tells apart the buffers of one consumer.
template <class T, int slot = 0>
T* lane_scratch(Index rows) {
  static thread_local Scratch<T> scratch;
  return scratch.get(static_cast<std::size_t>(rows * dsp::block_frames));
}

// Calls consume(block, lanes) for the blocks [first, last) of |X|^power, transformed in the
// precision `Transform`.
template <class Transform, class T, class F>
void power_blocks(const FramePlan& plan, const View<const T>& y,
                  const dsp::FrameTransform<Transform>& transform, float power, Index first,
                  Index last, F&& consume) {
  const Blocks blocks{plan.batch, plan.n_frames};
  T* lanes = lane_scratch<T>(plan.n_bins);
  for (Index i = first; i < last; ++i) {
    const auto block = blocks.at(i);
    {
      const Stage stage(stage::transform);
      transform.power_block(plan.source(y, block.b), block.first, block.count, power, lanes);
    }
    consume(block, static_cast<const T*>(lanes));
  }
}

// The same for all blocks, in parallel.
template <class T, class F>
void for_each_power_block(const FramePlan& plan, const View<const T>& y,
                          std::span<const double> window, float power, F&& consume) {
  const auto transform = dsp::frame_transform<T>(plan.params.n_fft, window);
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    power_blocks(plan, y, *transform, power, first, last, consume);
  });
}

}  // namespace metalmom::ops
