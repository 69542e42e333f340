// What the kernels that start from audio share: the sizes they are built for, the tables of
// shaders/fft.glsl, and which samples and frames a piece has. The shapes of the transforms are
// declared in shaders/constants.h.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "gpu/kernel.hpp"
#include "gpu/kernels/groups.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/frame_params.hpp"

namespace metalmom::gpu {

// The shape of a transform.
struct TransformShape : TransformRow {
  constexpr Index half() const { return n_fft / 2; }
  constexpr std::uint32_t frames() const { return threads / lanes; }
  // Frames of a group where frames share nothing: as many as fill a warp.
  constexpr std::uint32_t single_frames() const { return std::max(warp / lanes, 1u); }
};

inline constexpr std::array transform_shapes = [] {
  std::array<TransformShape, std::size(transform_rows)> shapes = {};
  std::ranges::transform(transform_rows, shapes.begin(),
                         [](const TransformRow& row) { return TransformShape{row}; });
  return shapes;
}();

// Null for sizes without a shader.
const TransformShape* transform_shape(Index n_fft);

// Why the device cannot transform such frames, if it cannot. `shared_floats`: shared memory of a
// group.
Reason supports_transform(Index n_fft, std::size_t shared_floats, const Limits& limits);
Reason supports_frames(const ops::FramePlan& plan, const Limits& limits);
// Why positions in the clip do not fit the shaders' 32-bit integers, if they do not.
Reason supports_positions(const ops::FramePlan& plan);

// The scale of the window where the transform goes on to bins: shaders/split.glsl adds up what it
// would have to halve.
inline constexpr double split_scale = 0.5;
// The tables of fft.glsl: window times `scale`, split twiddles, pass twiddles.
Slice transform_tables(Session& session, Index n_fft, std::span<const double> window, double scale);
// The same where no window weighs: the first `ones` samples of a frame count, and none behind them.
Slice transform_tables(Session& session, Index n_fft, Index ones, double scale);

// The samples that a piece's frames read, those that padding repeats included; and the piece as the
// shaders see it. If the memory holds more samples than that, `first_sample` says where it begins:
// modulo 2^32 a negative number, if it begins before the clip.
Region audio_region(const ops::FramePlan& plan, const Piece& piece);
FramesPush frames_push(const ops::FramePlan& plan, const Piece& piece);

// Counted for a kernel's span: bytes of audio that are read, and operations of the transforms.
double audio_bytes(const ops::FramePlan& plan, const Piece& piece);
double transform_flops(Index n_fft, const Piece& piece);

}  // namespace metalmom::gpu
