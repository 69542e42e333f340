#include "gpu/kernels/samples.hpp"

#include "shader/samples.hpp"

namespace metalmom::gpu {

Reason supports_samples(const ops::FramePlan& plan, const Limits& limits) {
  if (plan.n_samples == 0) return "clips without samples";
  if (const Reason reason = supports_positions(plan)) return reason;
  return plan.n_frames >= limits.groups_x ? "a clip has too many frames" : nullptr;
}

void record_samples(Session& session, const ops::FramePlan& plan, const Piece& piece,
                    const Slices& slices, SampleKind kind, double threshold, bool first_crosses) {
  const SamplesPush push{frames_push(plan, piece), static_cast<uint>(plan.params.n_fft),
                         static_cast<float>(threshold), first_crosses ? 1.0f : 0.0f};
  const auto frames = static_cast<double>(piece.n_clips * piece.n_units);
  session.dispatch(shader::Samples{{.kind = static_cast<uint>(kind)}},
                   frame_groups(piece, 1, session.limits()),
                   {.audio = slices.in[0], .results = slices.out[0]}, push,
                   {nullptr, audio_bytes(plan, piece) + 4 * frames,
                    2 * frames * static_cast<double>(plan.params.n_fft)});
}

}  // namespace metalmom::gpu
