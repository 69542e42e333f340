// Magnitude spectra in lane layout, of audio or of a stored spectrogram: what ops read that take
// either `y` or `S`.
#pragma once

#include <span>
#include <utility>

#include "dsp/bands.hpp"
#include "ops/core/power_blocks.hpp"

namespace metalmom::ops {

struct MagnitudeParams : FrameParams {
  bool frames_major =
      true;  // S is (frames, bins) in memory, as stft leaves it; else (bins, frames)

  static constexpr auto fields() {
    return std::tuple_cat(FrameParams::fields(),
                          std::tuple{field("frames_major", &MagnitudeParams::frames_major)});
  }
};

template <class T>
struct MagnitudeInputs {
  View<const T> y;                 // (batch, 1, samples), or null
  View<const T> S;                 // magnitudes, or null
  std::span<const double> window;  // win_length values, with y

  static constexpr auto fields() {
    return std::tuple{optional(signals("y", &MagnitudeInputs::y)),
                      optional(matrices("S", &MagnitudeInputs::S)),
                      field("window", &MagnitudeInputs::window)};
  }
};

struct MagnitudePlan {
  FramePlan frames;  // of a stored spectrogram, only batch, n_frames and n_bins
  bool stored = false;
  bool frames_major = true;
};

template <class T>
MagnitudePlan plan_magnitudes(const MagnitudeParams& params, const MagnitudeInputs<T>& in);

// Throws if a stored spectrogram has a negative value.
template <class T>
void require_non_negative(const View<const T>& S);

// Calls consume(block, lanes) for all blocks, in parallel. `Transform` is the precision audio is
// transformed in: double for what near-empty bins decide. Audio gives |X|^power.
template <class Transform, class T, class F>
void for_each_magnitude_block(const MagnitudePlan& plan, const MagnitudeInputs<T>& in,
                              F&& consume, float power = 1) {
  const auto& frames = plan.frames;
  const Blocks blocks{frames.batch, frames.n_frames};
  if (!plan.stored) {
    const auto transform = dsp::frame_transform<Transform>(frames.params.n_fft, in.window);
    parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
      power_blocks(frames, in.y, *transform, power, first, last, consume);
    });
    return;
  }
  const Index bin_stride = plan.frames_major ? 1 : frames.n_frames;
  const Index frame_stride = plan.frames_major ? frames.n_bins : 1;
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    T* lanes = lane_scratch<T>(frames.n_bins);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      {
        const Stage stage(stage::gather);
        dsp::load_lanes(in.S.row(block.b) + block.first * frame_stride, frames.n_bins, bin_stride,
                        frame_stride, block.count, lanes);
      }
      consume(block, static_cast<const T*>(lanes));
    }
  });
}

}  // namespace metalmom::ops
