#include "gpu/kernels/filterbank.hpp"

#include <algorithm>
#include <array>

#include "gpu/kernels/serial_table.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "shader/bands.hpp"

namespace metalmom::gpu {

Reason supports_bands(const ops::BandPlan& plan, const Limits& limits) {
  if (const Reason reason = supports_frames(plan.frames, limits)) return reason;
  const Index n_fft = plan.frames.params.n_fft;
  const TransformShape& shape = *transform_shape(n_fft);
  if (plan.n_bands > max_bands(shape))
    return "more than 512 bands, or 480 where n_fft is a multiple of 200";
  const auto stride = std::max(frame_stride_bound(shape, plan.n_bands), shape.threads);
  return supports_transform(n_fft, std::size_t(stride) * shape.frames(), limits);
}

KernelWork work_of_bands(const ops::BandPlan& plan, const Piece& piece) {
  const auto frames = static_cast<double>(piece.n_clips * piece.n_units);
  const double band_bytes = 4.0 * frames * static_cast<double>(plan.n_bands);
  const double power_flops = 7.0 * frames * static_cast<double>(plan.frames.n_bins);
  return {nullptr, audio_bytes(plan.frames, piece) + band_bytes,
          transform_flops(plan.frames.params.n_fft, piece) + power_flops};
}

void record_bands(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                  const Piece& piece, Slice audio, const BandsTarget& target) {
  const Index n_fft = plan.frames.params.n_fft;
  const auto layout = band_layout(in.basis, n_fft);
  const Slice tables = transform_tables(session, n_fft, in.window, split_scale);
  const Slice weights = serial_table(session, "bands", layout->serial, layout->table);
  BandsPush push{frames_push(plan.frames, piece),
                 static_cast<uint>(target.row_frames),
                 static_cast<uint>(target.row_first),
                 static_cast<uint>(plan.n_bands),
                 layout->parts,
                 static_cast<float>(plan.power / 2),
                 static_cast<float>(target.amin),
                 static_cast<float>(target.norm),
                 {}};
  std::copy(layout->steps.begin(), layout->steps.end(), push.steps);
  const shader::Bands bands{n_fft,
                            {.jobs = layout->jobs,
                             .frame_stride = layout->frame_stride,
                             .overlapping = layout->overlapping,
                             .power_kind = power_kind(plan.power),
                             .decibels = static_cast<bool>(target.maxima),
                             .norm_kind = target.norm_kind,
                             .nyquist = layout->nyquist,
                             .job_frames = layout->job_frames}};
  session.dispatch(bands, frame_groups(piece, transform_shape(n_fft)->frames(), session.limits()),
                   {.audio = audio,
                    .tables = tables,
                    .bands = target.bands,
                    .weights = weights,
                    .maxima = target.maxima ? Update(target.maxima) : Unused{weights}},
                   push, work_of_bands(plan, piece));
}

}  // namespace metalmom::gpu
