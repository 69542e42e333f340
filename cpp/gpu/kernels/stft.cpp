#include "gpu/kernels/stft.hpp"

namespace metalmom::gpu {

void Kernel<ops::Stft>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                               const Piece& piece, const Slices& slices) {
  const Index n_fft = plan.params.n_fft;
  const Slice tables = transform_tables(session, n_fft, in.window, 0.5);
  const double spectrum_bytes =
      8.0 * static_cast<double>(piece.n_clips * piece.n_units) * static_cast<double>(plan.n_bins);
  session.dispatch(
      {sized_shader("spectrum", n_fft)},
      frame_groups(piece, transform_shape(n_fft)->frames(), session.limits()),
      {read(slices.in[0]), read(tables), write(slices.out[0])}, frames_push(plan, piece),
      {nullptr, audio_bytes(plan, piece) + spectrum_bytes, transform_flops(n_fft, piece)});
}

}  // namespace metalmom::gpu
