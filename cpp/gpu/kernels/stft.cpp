#include "gpu/kernels/stft.hpp"

#include "shader/spectrum.hpp"

namespace metalmom::gpu {

void record_stft(Session& session, const ops::FramePlan& plan, std::span<const double> window,
                 const Piece& piece, Slice audio, Slice spectrum) {
  const Slice tables = transform_tables(session, plan.params.n_fft, window, split_scale);
  record_stft(session, plan, tables, piece, audio, spectrum);
}

void record_stft(Session& session, const ops::FramePlan& plan, const Slice& tables,
                 const Piece& piece, Slice audio, Slice spectrum) {
  const Index n_fft = plan.params.n_fft;
  const double spectrum_bytes =
      8.0 * static_cast<double>(piece.n_clips * piece.n_units) * static_cast<double>(plan.n_bins);
  session.dispatch(
      shader::Spectrum{n_fft},
      frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {.audio = audio, .tables = tables, .spectrum = spectrum}, frames_push(plan, piece),
      {nullptr, audio_bytes(plan, piece) + spectrum_bytes, transform_flops(n_fft, piece)});
}

}  // namespace metalmom::gpu
