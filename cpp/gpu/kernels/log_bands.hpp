// Logarithms of bands of prepared frames on the GPU, one fused kernel (shaders/log_bands.comp).
//
// In: (clips, samples). Out: (clips, bands, frames), or by frame (clips, rows, bands). Where values
// are raised to their clip's maximum less a range (shaders/limit.comp), or rows are not frames, a
// clip is one unit.
// In float32, as all kernels; the CPU transforms in double. So bands that are 60 dB and more below
// the loudest of their frame differ: the transform's rounding goes with the loudest bin, and the
// logarithm shows it.
#pragma once

#include "gpu/kernels/filterbank.hpp"
#include "ops/spectral/log_bands.hpp"

namespace metalmom::gpu {

Reason supports_log_bands(const ops::LogBandPlan& plan, const Limits& limits);
void record_log_bands(Session& session, const ops::LogBandPlan& plan,
                      const ops::BandInputs<float>& in, const Piece& piece, const Slices& slices,
                      bool by_frame);

template <bool by_frame>
struct Kernel<ops::LogBandsOf<by_frame>> : FramesKernel<ops::LogBandsOf<by_frame>> {
  using Op = ops::LogBandsOf<by_frame>;
  using Plan = ops::LogBandPlan;
  static Reason supports(const Plan& plan, const Limits& limits) {
    return supports_log_bands(plan, limits);
  }
  static std::array<HostArray, 1> outputs(const typename Op::template Out<float>& out) {
    return {host_array(out.bands)};
  }
  // With a range no value is known before all of its clip's are.
  static bool by_clip(const Plan& plan) { return plan.has_range() || !plan.rows_are_frames(); }
  static Index units(const Plan& plan) { return by_clip(plan) ? 1 : plan.frames.n_frames; }
  static Piece frames_of(const Plan& plan, const Piece& piece) {
    return by_clip(plan) ? whole_clips(piece, plan.frames.n_frames) : piece;
  }
  static Region input_region(const Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, frames_of(plan, piece));
  }
  static Region output_region(const Plan& plan, const Piece& piece, std::size_t) {
    const Piece frames = frames_of(plan, piece);
    if (!plan.rows_are_frames()) return {0, plan.n_rows, 0, plan.n_bands};
    if (by_frame) return {frames.unit, frames.n_units, 0, plan.n_bands};
    return {0, plan.n_bands, frames.unit, frames.n_units};
  }
  static void record(Session& session, const Plan& plan, const ops::BandInputs<float>& in,
                     const Piece& piece, const Slices& slices) {
    record_log_bands(session, plan, in, frames_of(plan, piece), slices, by_frame);
  }
};

}  // namespace metalmom::gpu
