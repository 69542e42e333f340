#include "gpu/kernels/log_bands.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numbers>

#include "gpu/kernels/decibel.hpp"
#include "gpu/kernels/serial_table.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "shader/log_bands.hpp"

namespace metalmom::gpu {

Reason supports_log_bands(const ops::LogBandPlan& plan, const Limits& limits) {
  if (const Reason reason = supports_bands(plan, limits)) return reason;
  if (!plan.has_range()) return nullptr;
  return supports_limit(plan.n_bands * plan.frames.n_frames, limits);
}

void record_log_bands(Session& session, const ops::LogBandPlan& plan,
                      const ops::BandInputs<float>& in, const Piece& piece, const Slices& slices,
                      bool by_frame) {
  const ops::FramePlan& frames = plan.frames;
  const Index n_fft = frames.params.n_fft;
  const bool limited = plan.has_range();
  const auto layout = band_layout(in.basis, n_fft);
  const Slice tables = transform_tables(session, n_fft, in.window, split_scale);
  const Slice weights = serial_table(session, "bands", layout->serial, layout->table);
  const std::array scale{static_cast<float>(plan.amin), static_cast<float>(plan.offset),
                         static_cast<float>(plan.scale * std::numbers::ln2),
                         static_cast<float>(plan.shift)};
  const Slice scales = session.table("logarithm", std::as_bytes(std::span(scale)), [&] {
    return std::vector<float>(scale.begin(), scale.end());
  });
  const Slice maxima = limited ? session.scratch(maxima_bytes(piece.n_clips)) : Slice{};
  if (limited) session.fill(maxima, 0);
  const bool rows_are_frames = plan.rows_are_frames();
  LogBandsPush push{frames_push(frames, piece),
                    static_cast<uint>(rows_are_frames ? piece.n_units : plan.n_rows),
                    0,
                    static_cast<uint>(plan.n_bands),
                    layout->parts,
                    static_cast<float>(plan.power / 2),
                    static_cast<uint>(frames.frame_length),
                    static_cast<float>(frames.steps.preemphasis),
                    {}};
  std::copy(layout->steps.begin(), layout->steps.end(), push.steps);
  const shader::LogBands bands{n_fft,
                               {.jobs = layout->jobs,
                                .frame_stride = layout->frame_stride,
                                .overlapping = layout->overlapping,
                                .power_kind = power_kind(plan.power),
                                .logarithm = plan.logarithm,
                                .by_frame = by_frame,
                                .nyquist = layout->nyquist,
                                .job_frames = layout->job_frames,
                                .limited = limited,
                                .prepared = frames.prepares(),
                                .remove_mean = frames.steps.remove_mean,
                                .patch_frames = static_cast<uint>(plan.patch),
                                .patch_hop = static_cast<uint>(plan.patch_hop)}};
  if (frames.n_frames < plan.n_rows && plan.patch == plan.patch_hop)
    session.fill(slices.out[0], std::bit_cast<std::uint32_t>(static_cast<float>(plan.shift)));
  if (!frames.n_frames) return;
  session.dispatch(bands, frame_groups(piece, transform_shape(n_fft)->frames(), session.limits()),
                   {.audio = slices.in[0],
                    .tables = tables,
                    .bands = slices.out[0],
                    .weights = weights,
                    .maxima = limited ? Update(maxima) : Unused{weights},
                    .log_scale = scales},
                   push, work_of_bands(plan, piece));
  if (limited)
    record_limit(session, slices.out[0], maxima, piece.n_clips, plan.n_bands * frames.n_frames,
                 plan.range);
}

}  // namespace metalmom::gpu
