#include "gpu/kernels/contrast.hpp"

#include <bit>
#include <vector>

#include "shader/contrast.hpp"

namespace metalmom::gpu {

namespace {

using Contrast = Kernel<ops::SpectralContrast>;

// With more steps of a thread sorting would be faster. Software devices end long loops, too: Mesa's
// llvmpipe after 65,535 rounds.
constexpr Index most_steps = 30000;

Index steps_of(const ops::SpectralContrast::Plan& plan) {
  const Index lanes = transform_shape(plan.frames.params.n_fft)->lanes;
  Index steps = 0;
  for (const auto& [first, last, n_tail] : plan.bands)
    steps += 2 * n_tail * ((last - first) / lanes + 2);
  return steps;
}

// Three words for each band: first bin, bin after the last, values in a tail.
std::vector<float> band_table(const ops::SpectralContrast::Plan& plan) {
  std::vector<float> table;
  for (const auto& [first, last, n_tail] : plan.bands)
    for (const Index each : {first, last, n_tail})
      table.push_back(std::bit_cast<float>(static_cast<uint>(each)));
  return table;
}

}  // namespace

Reason Contrast::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.stored) return "a stored spectrogram";
  if (plan.bands.empty()) return "no bands";
  if (const Reason reason = supports_frames(plan.frames, limits)) return reason;
  return steps_of(plan) > most_steps ? "tails of many values" : nullptr;
}

void Contrast::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                      const Piece& piece, const Slices& slices) {
  const Index n_fft = plan.frames.params.n_fft;
  const Slice tables = transform_tables(session, n_fft, in.window, split_scale);
  const Slice bands =
      session.table("bins of contrast", std::as_bytes(in.bands), [&] { return band_table(plan); });
  double values = 0;  // that are looked at in each frame
  for (const auto& [first, last, n_tail] : plan.bands)
    values += 2 * static_cast<double>((last - first) * n_tail);
  const auto frames = static_cast<double>(piece.n_clips * piece.n_units);
  session.dispatch(
      shader::Contrast{n_fft},
      frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {.audio = slices.in[0],
       .tables = tables,
       .valleys = slices.out[0],
       .peaks = slices.out[1],
       .bands = bands},
      ContrastPush{frames_push(plan.frames, piece), static_cast<uint>(plan.bands.size())},
      {nullptr, audio_bytes(plan.frames, piece), transform_flops(n_fft, piece) + frames * values});
}

}  // namespace metalmom::gpu
