#include "gpu/kernels/delta.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/ceil_div.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "shader/delta.hpp"

namespace metalmom::gpu {

namespace {

static_assert(agrees(dsp::Ends::interp, ends_interp) && agrees(dsp::Ends::nearest, ends_nearest) &&
              agrees(dsp::Ends::mirror, ends_mirror) &&
              agrees(dsp::Ends::constant, ends_constant) && agrees(dsp::Ends::wrap, ends_wrap));

// Longer sums take transforms; software devices end long loops, too. With Ends::interp a table has
// the square of the width.
constexpr Index most_width = 16383, most_square_width = 1023;

constexpr Index group_values = delta_threads * delta_values;

// The weights at the middle of a window; for Ends::interp then those at each frame before it, and
// at each behind it.
std::vector<float> weight_table(const dsp::PolynomialFit& fit, dsp::Ends ends) {
  const Index half = fit.width / 2;
  std::vector<float> table;
  const auto add = [&](Index frame) {
    const std::vector<double> weights = fit.weights_at(frame);
    table.insert(table.end(), weights.begin(), weights.end());
  };
  add(half);
  for (Index frame = 0; ends == dsp::Ends::interp && frame < fit.width; ++frame)
    if (frame != half) add(frame);
  return table;
}

}  // namespace

Reason Kernel<ops::Delta>::supports(const Op::Plan& plan, const Limits&) {
  const bool is_square = plan.params.mode == dsp::Ends::interp;
  if (plan.params.width > (is_square ? most_square_width : most_width))
    return is_square ? "a window of more than 1,023 frames with mode='interp'"
                     : "a window of more than 16,383 frames";
  return plan.n_frames >= (Index(1) << 30) ? "rows of 2^30 frames and more" : nullptr;
}

void Kernel<ops::Delta>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                const Piece& piece, const Slices& slices) {
  const dsp::PolynomialFit fit = Op::fit(plan, in);
  std::vector<double> source(in.fit.begin(), in.fit.end());
  source.insert(source.end(), in.at_times.begin(), in.at_times.end());
  source.push_back(static_cast<double>(fit.width));
  const bool interpolates = plan.params.mode == dsp::Ends::interp;
  const Slice weights =
      session.table(interpolates ? "delta and its ends" : "delta", std::as_bytes(std::span(source)),
                    [&] { return weight_table(fit, plan.params.mode); });
  const std::vector<double> central = fit.weights_at(fit.width / 2);
  const Index n_values = piece.n_clips * plan.n_frames * piece.n_units;
  const DeltaPush push{static_cast<uint>(n_values),
                       static_cast<uint>(plan.n_frames),
                       static_cast<uint>(piece.n_units),
                       static_cast<uint>(fit.width),
                       static_cast<float>(std::accumulate(central.begin(), central.end(), 0.0)),
                       static_cast<float>(plan.params.cval)};
  // One row of groups, folded where the device allows fewer.
  const auto groups = static_cast<std::uint32_t>(ceil_div(n_values, group_values));
  const std::uint32_t columns = std::min(groups, session.limits().groups_x);
  const auto values = static_cast<double>(n_values);
  session.dispatch(shader::Delta{{.ends = static_cast<uint>(plan.params.mode)}},
                   {columns, ceil_div(groups, columns)},
                   {.data = slices.in[0], .weights = weights, .results = slices.out[0]}, push,
                   {nullptr, 8 * values, 3 * values * static_cast<double>(fit.width)});
}

}  // namespace metalmom::gpu
