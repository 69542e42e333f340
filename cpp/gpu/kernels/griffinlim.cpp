#include "gpu/kernels/griffinlim.hpp"

#include <utility>

#include "base/interrupt.hpp"
#include "gpu/kernels/groups.hpp"
#include "shader/phases.hpp"

namespace metalmom::gpu {

namespace {

std::size_t spectrum_bytes(const ops::GriffinLim::Plan& plan, const Piece& piece) {
  const Index bins = piece.n_clips * plan.inverse.stored_frames * plan.inverse.n_bins;
  return align_up(2 * sizeof(float) * static_cast<std::size_t>(bins));
}

}  // namespace

Reason Kernel<ops::GriffinLim>::supports(const Op::Plan& plan, const Limits& limits) {
  if (const Reason reason = Kernel<ops::Istft>::supports(plan.inverse, limits)) return reason;
  return plan.n_iter == 0 ? nullptr : supports_frames(plan.forward, limits);
}

void Kernel<ops::GriffinLim>::record(Session& session, const Op::Plan& plan,
                                     const Op::In<float>& in, const Piece& piece,
                                     const Slices& slices) {
  const Piece samples = whole_clips(piece, plan.inverse.n_samples);
  const Piece all_frames = whole_clips(piece, plan.inverse.stored_frames);
  const Slice frames = session.scratch(istft_scratch_bytes(plan.inverse, samples));
  const Slice magnitudes = slices.in[0], signal = slices.out[0];
  Slice current = slices.in[1];
  const Slice estimate = session.scratch(spectrum_bytes(plan, piece));
  Slice rebuilt = session.scratch(spectrum_bytes(plan, piece));
  Slice previous = session.scratch(spectrum_bytes(plan, piece));
  const Index bins = piece.n_clips * plan.inverse.stored_frames * plan.inverse.n_bins;
  for (Index iteration = 0; iteration < plan.n_iter; ++iteration) {
    check_interrupt();
    record_istft(session, plan.inverse, in.window, samples, {current, frames, signal});
    record_stft(session, plan.forward, in.window, all_frames, signal, rebuilt);
    const double factor = iteration == 0 ? 0 : plan.momentum / (1 + plan.momentum);
    const PhasesPush push{static_cast<uint>(bins), static_cast<float>(factor)};
    session.dispatch(shader::Phases{}, strided_groups(bins, bin_threads),
                     {.magnitudes = magnitudes,
                      .rebuilt = rebuilt,
                      .previous = iteration == 0 ? rebuilt : previous,
                      .estimate = estimate},
                     push,
                     {nullptr, 28 * static_cast<double>(bins), 12 * static_cast<double>(bins)});
    std::swap(rebuilt, previous);
    current = estimate;
  }
  record_istft(session, plan.inverse, in.window, samples, {current, frames, signal});
}

}  // namespace metalmom::gpu
