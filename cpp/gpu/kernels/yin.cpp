#include "gpu/kernels/yin.hpp"
#include "shader/yin.hpp"

namespace metalmom::gpu {

namespace {

Index transform_size(const ops::Yin::Plan& plan) {
  return dsp::period_transform_size(plan.frames.params.n_fft, plan.periods.last);
}

}  // namespace

Reason Kernel<ops::Yin>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.frames.n_samples == 0) return "clips without samples";
  const TransformShape* const shape = transform_shape(transform_size(plan));
  if (!shape) return "a frame and its longest period are more than 8,192 samples";
  const auto floats =
      static_cast<std::size_t>(shape->half() + shape->lanes + 3) * shape->single_frames();
  if (const Reason reason = supports_transform(shape->n_fft, floats, limits)) return reason;
  if (const Reason reason = supports_positions(plan.frames)) return reason;
  return plan.frames.n_frames / shape->single_frames() >= limits.groups_x
             ? "a clip has too many frames"
             : nullptr;
}

void Kernel<ops::Yin>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                              const Piece& piece, const Slices& slices) {
  const Index n_fft = transform_size(plan);
  const Slice tables = transform_tables(session, n_fft, {}, 1);
  const YinPush push{
      frames_push(plan.frames, piece),       static_cast<uint>(plan.frames.params.n_fft),
      static_cast<uint>(plan.periods.first), static_cast<uint>(plan.periods.last),
      static_cast<float>(plan.sr),           static_cast<float>(plan.trough_threshold)};
  const auto frames = static_cast<double>(piece.n_clips * piece.n_units);
  session.dispatch(
      shader::Yin{n_fft},
      frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {.audio = slices.in[0], .tables = tables, .frequencies = slices.out[0]}, push,
      {nullptr, audio_bytes(plan.frames, piece) + 4 * frames,
       2 * transform_flops(n_fft, piece) + 12 * frames * static_cast<double>(plan.periods.last)});
}

}  // namespace metalmom::gpu
