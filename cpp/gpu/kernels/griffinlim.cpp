#include "gpu/kernels/griffinlim.hpp"

#include <utility>

#include "base/ceil_div.hpp"
#include "gpu/block_cache.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::uint32_t most_groups = 8192;

std::size_t spectrum_bytes(const ops::GriffinLim::Plan& plan, const Piece& piece) {
  const Index bins = piece.n_clips * plan.inverse.stored_frames * plan.inverse.n_bins;
  return align_up(2 * sizeof(float) * static_cast<std::size_t>(bins));
}

// A piece of whole clips as the inverse transform counts it, in samples, and as the forward one
// does, in frames.
Piece samples_of(const ops::GriffinLim::Plan& plan, const Piece& piece) {
  return {piece.clip, piece.n_clips, 0, plan.inverse.n_samples, true};
}
Piece frames_of(const ops::GriffinLim::Plan& plan, const Piece& piece) {
  return {piece.clip, piece.n_clips, 0, plan.inverse.stored_frames, true};
}

}  // namespace

const char* Kernel<ops::GriffinLim>::supports(const Op::Plan& plan, const Limits& limits) {
  if (const char* reason = Kernel<ops::Istft>::supports(plan.inverse, limits)) return reason;
  return plan.n_iter == 0 ? nullptr : supports_frames(plan.forward, limits);
}

// Three spectra: the estimate, what was rebuilt from it, and what was rebuilt before.
std::size_t Kernel<ops::GriffinLim>::scratch_bytes(const Op::Plan& plan, const Piece& piece) {
  return istft_scratch_bytes(plan.inverse, samples_of(plan, piece)) + slice_alignment +
         3 * spectrum_bytes(plan, piece);
}

void Kernel<ops::GriffinLim>::record(Session& session, const Op::Plan& plan,
                                     const Op::In<float>& in, const Piece& piece,
                                     const Slices& slices) {
  const Piece samples = samples_of(plan, piece);
  const Slice frames = session.scratch(istft_scratch_bytes(plan.inverse, samples));
  const Slice magnitudes = slices.in[0], signal = slices.out[0];
  Slice current = slices.in[1];
  const Slice estimate = session.scratch(spectrum_bytes(plan, piece));
  Slice rebuilt = session.scratch(spectrum_bytes(plan, piece));
  Slice previous = session.scratch(spectrum_bytes(plan, piece));
  const auto bins =
      static_cast<uint>(piece.n_clips * plan.inverse.stored_frames * plan.inverse.n_bins);
  const std::uint32_t groups = std::min(ceil_div(bins, bin_threads), most_groups);
  for (Index iteration = 0; iteration < plan.n_iter; ++iteration) {
    record_istft(session, plan.inverse, in.window, samples, {current, frames, signal});
    record_stft(session, plan.forward, in.window, frames_of(plan, piece), signal, rebuilt);
    const PhasesPush push{
        bins, static_cast<float>(iteration == 0 ? 0 : plan.momentum / (1 + plan.momentum))};
    session.dispatch({"phases"}, {groups},
                     {read(magnitudes), read(rebuilt), read(iteration == 0 ? rebuilt : previous),
                      write(estimate)},
                     push, {nullptr, 28.0 * bins, 12.0 * bins});
    std::swap(rebuilt, previous);
    current = estimate;
  }
  record_istft(session, plan.inverse, in.window, samples, {current, frames, signal});
}

}  // namespace metalmom::gpu
