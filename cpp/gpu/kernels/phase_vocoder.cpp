#include "gpu/kernels/phase_vocoder.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "gpu/kernels/groups.hpp"
#include "shader/vocoder.hpp"

namespace metalmom::gpu {

namespace {

// For each time the frame before it, and how far the time is from there to the next frame. At or
// behind the last frame vocoder_still is set, and the frame is the last that has a next one.
std::vector<float> time_table(std::span<const double> times, Index n_frames) {
  std::vector<float> table;
  for (const double time : times) {
    const auto before = static_cast<Index>(time);
    const Index low = std::clamp<Index>(before, 0, std::max<Index>(n_frames - 2, 0));
    const std::uint32_t still = before < n_frames - 1 ? 0 : vocoder_still;
    table.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(low) | still));
    table.push_back(static_cast<float>(time - static_cast<double>(low)));
  }
  return table;
}

}  // namespace

Reason Kernel<ops::PhaseVocoder>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.given_magnitudes) return "magnitudes that are not on the line between frames";
  const bool is_long = std::max(plan.n_frames, plan.n_times) >= (Index(1) << 31);
  return is_long || plan.n_bins / warp >= limits.groups_x ? "a clip has too many values" : nullptr;
}

void Kernel<ops::PhaseVocoder>::record(Session& session, const Op::Plan& plan,
                                       const Op::In<float>& in, const Piece& piece,
                                       const Slices& slices) {
  std::vector<double> source(in.t_out.begin(), in.t_out.end());
  source.push_back(static_cast<double>(plan.n_frames));
  const Slice times = session.table("times", std::as_bytes(std::span(source)),
                                    [&] { return time_table(in.t_out, plan.n_frames); });
  const VocoderPush push{static_cast<uint>(piece.n_clips), static_cast<uint>(piece.n_units),
                         static_cast<uint>(plan.n_frames), static_cast<uint>(plan.n_times),
                         static_cast<uint>(in.t_out[0])};
  const auto bins = static_cast<double>(piece.n_clips * piece.n_units);
  const auto frames = static_cast<double>(plan.n_frames);
  const auto n_times = static_cast<double>(plan.n_times);
  session.dispatch(shader::Vocoder{},
                   value_groups(piece.n_units, warp, piece.n_clips, session.limits()),
                   {.spectra = slices.in[0], .times = times, .results = slices.out[0]}, push,
                   {nullptr, 8 * bins * (frames + n_times), 120 * bins * n_times});
}

}  // namespace metalmom::gpu
