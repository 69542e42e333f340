#include "gpu/kernels/decibel.hpp"

#include <array>
#include <cmath>

#include "gpu/kernels/groups.hpp"
#include "shader/decibel.hpp"
#include "shader/limit.hpp"

namespace metalmom::gpu {

namespace {

constexpr Index values_of_group = decibel_threads * decibel_values;

bool limited(const ops::Decibel::Plan& plan) {
  return !std::isinf(plan.params.top_db);
}

// What is subtracted from each group's levels.
std::vector<float> offsets(const ops::Decibel::Plan& plan, std::span<const double> ref) {
  std::vector<float> result;
  for (const double each : ref)
    result.push_back(static_cast<float>(10 * std::log10(std::max(plan.params.amin, each))));
  return result;
}

}  // namespace

void record_limit(Session& session, Slice levels, Slice maxima, Index n_groups, Index values,
                  double range) {
  const DecibelPush push{static_cast<uint>(n_groups), static_cast<uint>(values), 0, 1, 0, 0,
                         static_cast<float>(range)};
  const double bytes = 8.0 * static_cast<double>(n_groups * values);
  session.dispatch(shader::Limit{},
                   value_groups(values, values_of_group, n_groups, session.limits()),
                   {.levels = levels, .maxima = maxima}, push, {nullptr, bytes, bytes / 8});
}

Reason supports_limit(Index values, const Limits& limits) {
  if (values / values_of_group >= limits.groups_x) return "a group has too many values";
  return values < (Index(1) << 31) ? nullptr : "a group has more than 2^31 values";
}

Reason Kernel<ops::Decibel>::supports(const Op::Plan& plan, const Limits& limits) {
  if (const Reason reason = supports_amin(plan.params.amin)) return reason;
  if (!plan.finite_ref) return "a reference that is not finite";
  return supports_limit(plan.values, limits);
}

Index Kernel<ops::Decibel>::units(const Op::Plan& plan) {
  return limited(plan) ? 1 : plan.values;
}

Region Kernel<ops::Decibel>::input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  if (limited(plan)) return {0, 1, 0, plan.values};
  return {0, 1, piece.unit, piece.n_units};
}

void Kernel<ops::Decibel>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                  const Piece& piece, const Slices& slices) {
  const Index values = limited(plan) ? plan.values : piece.n_units;
  const bool one_ref = in.ref.size() == 1;
  const Slice maxima = session.scratch(maxima_bytes(piece.n_clips));
  if (limited(plan)) session.fill(maxima, 0);
  const std::vector<float> offset = offsets(plan, in.ref);
  const Slice table = session.table(
      "decibel",
      std::as_bytes(std::span(offset)).first(one_ref ? 0 : offset.size() * sizeof(float)),
      [&] { return one_ref ? std::vector<float>{0} : offset; });
  const DecibelPush push{static_cast<uint>(piece.n_clips),
                         static_cast<uint>(values),
                         static_cast<uint>(piece.clip),
                         one_ref ? 1u : 0u,
                         offset[0],
                         static_cast<float>(plan.params.amin),
                         static_cast<float>(plan.params.top_db)};
  const Groups groups = value_groups(values, values_of_group, piece.n_clips, session.limits());
  const double bytes = 8.0 * static_cast<double>(piece.n_clips * values);
  session.dispatch(
      shader::Decibel{{.amplitude = plan.params.amplitude, .limited = limited(plan)}}, groups,
      {.source = slices.in[0], .offsets = table, .levels = slices.out[0], .maxima = maxima}, push,
      {nullptr, bytes, 2.5 * bytes});
  if (limited(plan))
    record_limit(session, slices.out[0], maxima, piece.n_clips, values, plan.params.top_db);
}

}  // namespace metalmom::gpu
