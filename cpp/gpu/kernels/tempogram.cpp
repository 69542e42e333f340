#include "gpu/kernels/tempogram.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "gpu/kernels/shader_kinds.hpp"
#include "shader/tempogram.hpp"

namespace metalmom::gpu {

namespace {

using Plan = ops::Tempogram::Plan;

// Samples of the transform: a frame, and as many zeros behind it as it has lags.
Index transform_size(const Plan& plan) {
  const auto most = static_cast<std::uint64_t>(2 * plan.win_length - 1);
  return std::max<Index>(static_cast<Index>(std::bit_ceil(most)), transform_shapes.front().n_fft);
}

// The envelope as audio whose frames begin one sample apart.
ops::FramePlan frames_of(const Plan& plan) {
  ops::FrameParams params;
  params.n_fft = plan.win_length;
  params.hop_length = 1;
  params.center = plan.params.center;
  params.pad_mode = dsp::PadMode::linear_ramp;
  return {params, 1, plan.n_samples, plan.n_frames, 0, plan.win_length};
}

}  // namespace

Reason Kernel<ops::Tempogram>::supports(const Op::Plan& plan, const Limits& limits) {
  const TransformShape* const shape = transform_shape(transform_size(plan));
  if (!shape) return "a window of more than 4,096 frames";
  const auto floats = static_cast<std::size_t>(shape->half() + 1) * shape->frames();
  if (const Reason reason = supports_transform(shape->n_fft, floats, limits)) return reason;
  if (const Reason reason = supports_positions(frames_of(plan))) return reason;
  // Norms below 1 weigh values near zero most, where float32 and double differ most.
  const double norm = plan.params.norm;
  if (plan.params.normalize && !(norm >= 1)) return "a norm of less than 1";
  return plan.n_frames / shape->frames() >= limits.groups_x ? "too many frames" : nullptr;
}

Region Kernel<ops::Tempogram>::input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  return audio_region(frames_of(plan), piece);
}

void Kernel<ops::Tempogram>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                    const Piece& piece, const Slices& slices) {
  const Index n_fft = transform_size(plan);
  // With zeros behind it the window is as long as the transform, whose tables begin with it.
  std::vector<double> window(in.window.begin(), in.window.end());
  window.resize(static_cast<std::size_t>(n_fft));
  const Slice tables = transform_tables(session, n_fft, window, 1);
  const ops::FramePlan frames = frames_of(plan);
  const TempogramPush push{frames_push(frames, piece), static_cast<uint>(plan.win_length),
                           static_cast<float>(plan.params.norm)};
  const auto values = static_cast<double>(piece.n_clips * piece.n_units * plan.win_length);
  session.dispatch(
      shader::Tempogram{n_fft, {.norm_kind = norm_kind(plan.params.normalize, plan.params.norm)}},
      frame_groups(piece, transform_shape(n_fft)->frames(), session.limits()),
      {.audio = slices.in[0], .tables = tables, .tempogram = slices.out[0]}, push,
      {nullptr, audio_bytes(frames, piece) + 4 * values, 2 * transform_flops(n_fft, piece)});
}

}  // namespace metalmom::gpu
