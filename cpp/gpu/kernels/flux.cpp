#include "gpu/kernels/flux.hpp"
#include "shader/flux.hpp"

namespace metalmom::gpu {

namespace {

Reason supports_flux(const ops::FluxPlan& plan, const Limits& limits) {
  if (plan.n_out / flux_threads >= limits.groups_x) return "a clip has too many frames";
  return nullptr;
}

struct FluxArrays {
  Slice levels, reference;
  Slice maxima;  // null if levels are not clamped
  Slice flux;
};

void record_flux(Session& session, const ops::FluxPlan& plan, Index n_clips, double top_db,
                 const FluxArrays& arrays) {
  const FluxPush push{static_cast<uint>(n_clips),
                      static_cast<uint>(plan.n_bands),
                      static_cast<uint>(plan.n_frames),
                      static_cast<uint>(plan.n_out),
                      static_cast<uint>(plan.n_differences),
                      static_cast<uint>(plan.params.lag),
                      static_cast<uint>(plan.params.max_size),
                      static_cast<uint>(plan.params.shift),
                      static_cast<uint>(plan.rows_out()),
                      static_cast<float>(top_db)};
  const shader::Flux flux{{.limited = static_cast<bool>(arrays.maxima),
                           .is_median = plan.params.aggregate == dsp::FluxAggregate::median}};
  const auto cells = static_cast<double>(n_clips * plan.n_bands * plan.n_frames);
  session.dispatch(
      flux, value_groups(plan.n_out, flux_threads, n_clips * plan.rows_out(), session.limits()),
      {.levels = arrays.levels,
       .reference = arrays.reference,
       .maxima = arrays.maxima ? Read(arrays.maxima) : Unused{arrays.levels},
       .flux = arrays.flux},
      push,
      {nullptr, 8 * cells + 4 * static_cast<double>(n_clips * plan.rows_out() * plan.n_out),
       cells * static_cast<double>(2 + plan.params.max_size)});
}

}  // namespace

Reason Kernel<ops::OnsetStrength>::supports(const Op::Plan& plan, const Limits& limits) {
  if (const Reason reason = supports_levels(plan, plan, limits)) return reason;
  return supports_flux(plan.flux, limits);
}

void Kernel<ops::OnsetStrength>::record(Session& session, const Op::Plan& plan,
                                        const Op::In<float>& in, const Piece& piece,
                                        const Slices& slices) {
  const Levels levels = record_levels(session, plan, in, piece, slices, plan.amin);
  if (!piece.last) return;
  record_flux(session, plan.flux, piece.n_clips, plan.top_db,
              {levels.levels, levels.levels, levels.limit(plan.top_db), slices.out[0]});
}

Reason Kernel<ops::SpectralFlux>::supports(const Op::Plan& plan, const Limits& limits) {
  return supports_flux(plan, limits);
}

void Kernel<ops::SpectralFlux>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                                       const Piece& piece, const Slices& slices) {
  record_flux(session, plan, piece.n_clips, 0, {slices.in[0], slices.in[1], {}, slices.out[0]});
}

}  // namespace metalmom::gpu
