#include "gpu/kernels/resample.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "base/cache.hpp"
#include "base/ceil_div.hpp"
#include "gpu/kernels/groups.hpp"
#include "shader/resample.hpp"

namespace metalmom::gpu {

namespace {

using Plan = ops::Resample::Plan;

// A filter as shaders/resample.comp takes it: whole periods, in blocks of rows.
struct Layout {
  std::shared_ptr<const dsp::Polyphase> filter;
  Index samples = 0, results = 0;  // of a period
  Index n_blocks = 0, n_steps = 0;

  // The sample of a period, or before it, that the taps of a result begin at.
  Index first_sample(Index result) const {
    return result / filter->up * filter->down + filter->first_sample(result % filter->up);
  }
  Index block_start(Index block) const { return first_sample(block * resample_rows); }
  Index last_of(Index block) const {
    return std::min<Index>((block + 1) * resample_rows, results) - 1;
  }
  // Samples from the first of a period to the end of its last result's taps.
  Index reach() const { return first_sample(results - 1) + filter->n_taps; }
  double taps() const {
    return static_cast<double>(n_blocks * n_steps) * resample_depth * resample_rows;
  }
  // With its filter, which it keeps alive.
  std::size_t bytes() const { return sizeof *this + filter->bytes(); }
};

Layout make_layout(std::shared_ptr<const dsp::Polyphase> filter) {
  Layout made{std::move(filter)};
  const Index times = ceil_div(Index(resample_rows), made.filter->up);
  made.samples = times * made.filter->down;
  made.results = times * made.filter->up;
  made.n_blocks = ceil_div(made.results, Index(resample_rows));
  Index width = 0;
  for (Index block = 0; block < made.n_blocks; ++block)
    width = std::max(width, made.first_sample(made.last_of(block)) + made.filter->n_taps -
                                made.block_start(block));
  made.n_steps = ceil_div(width, Index(resample_depth));
  return made;
}

// Null where there is no filter.
std::shared_ptr<const Layout> layout_of(const Plan& plan) {
  static Cache<const dsp::Polyphase*, Layout> cache{"build tables of resampling"};
  const auto filter = ops::Resample::filter(plan);
  if (!filter) return nullptr;
  return cache.get(filter.get(),
                   [&] { return std::make_shared<const Layout>(make_layout(filter)); });
}

// Blocks of rows: for each sample that a block's taps reach the taps of its rows.
std::vector<float> tap_table(const Layout& layout) {
  std::vector<float> table(static_cast<std::size_t>(layout.taps()), 0.0f);
  const Index width = layout.n_steps * resample_depth, n_taps = layout.filter->n_taps;
  for (Index result = 0; result < layout.results; ++result) {
    const Index block = result / resample_rows, phase = result % layout.filter->up;
    const Index shift = layout.first_sample(result) - layout.block_start(block);
    for (Index k = 0; k < n_taps; ++k)
      table[static_cast<std::size_t>((block * width + shift + k) * resample_rows +
                                     result % resample_rows)] =
          static_cast<float>(layout.filter->taps[static_cast<std::size_t>(phase * n_taps + k)]);
  }
  return table;
}

std::vector<float> start_table(const Layout& layout) {
  std::vector<float> table;
  for (Index block = 0; block < layout.n_blocks; ++block)
    table.push_back(std::bit_cast<float>(static_cast<std::int32_t>(layout.block_start(block))));
  table.insert(table.end(), layout.filter->first_taps.begin(), layout.filter->first_taps.end());
  return table;
}

}  // namespace

Reason Kernel<ops::Resample>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.n_samples == 0 || plan.size == 0) return "clips without samples";
  const auto layout = layout_of(plan);
  if (!layout)
    return "rates whose ratio is no fraction of small numbers, or that libsoxr changes by filters "
           "whose first eight results or more differ from the rest";
  if (layout->taps() > 1 << 22) return "filters of more than 4 million taps";
  if (std::max(plan.n_samples, plan.size) >= (Index(1) << 30))
    return "a clip is longer than 2^30 samples";
  return units(plan) / resample_periods >= limits.groups_x ? "a clip has too many periods"
                                                           : nullptr;
}

Index Kernel<ops::Resample>::units(const Op::Plan& plan) {
  return ceil_div(plan.size, layout_of(plan)->results);
}

Region Kernel<ops::Resample>::input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  if (piece.has_whole_clips()) return {0, 1, 0, plan.n_samples};
  const auto layout = layout_of(plan);
  const Index last = (piece.unit + piece.n_units - 1) * layout->samples + layout->reach();
  const Index begin =
      std::clamp<Index>(piece.unit * layout->samples + layout->first_sample(0), 0, plan.n_samples);
  const Index end = std::max(last, piece.first() ? layout->filter->n_first_taps : 0);
  return {0, 1, begin, std::clamp(end, begin, plan.n_samples) - begin};
}

Region Kernel<ops::Resample>::output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  const Index results = layout_of(plan)->results, first = piece.unit * results;
  return {0, 1, first, std::min(piece.n_units * results, plan.size - first)};
}

void Kernel<ops::Resample>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                                   const Piece& piece, const Slices& slices) {
  const auto kept = layout_of(plan);
  const Layout& layout = *kept;
  const std::array<Index, 3> source = {layout.filter->up, layout.filter->down,
                                       static_cast<Index>(plan.params.quality)};
  const auto key = std::as_bytes(std::span(source));
  const Slice taps = session.table("taps of a rate", key, [&] { return tap_table(layout); });
  const Slice starts = session.table("starts of a rate", key, [&] { return start_table(layout); });
  const Region held = input_region(plan, piece, 0), made = output_region(plan, piece, 0);
  const ResamplePush push{{.n_clips = static_cast<uint>(piece.n_clips),
                           .n_samples = static_cast<uint>(plan.n_samples),
                           .held_samples = static_cast<uint>(held.n_cols),
                           .first_sample = static_cast<uint>(held.col),
                           .pad_mode = pad_constant},
                          static_cast<uint>(piece.n_units),
                          static_cast<uint>(piece.unit),
                          static_cast<uint>(layout.n_blocks),
                          static_cast<uint>(layout.n_steps),
                          static_cast<uint>(layout.samples),
                          static_cast<uint>(layout.results),
                          static_cast<uint>(made.n_cols),
                          static_cast<uint>(plan.n_made),
                          static_cast<uint>(layout.filter->n_first),
                          static_cast<uint>(layout.filter->n_first_taps)};
  const auto results = static_cast<double>(piece.n_clips * made.n_cols);
  session.dispatch(
      shader::Resample{},
      value_groups(piece.n_units, resample_periods, piece.n_clips * layout.n_blocks,
                   session.limits()),
      {.audio = slices.in[0], .taps = taps, .starts = starts, .results = slices.out[0]}, push,
      {nullptr, 4 * (static_cast<double>(piece.n_clips * held.n_cols) + results),
       2 * results * static_cast<double>(layout.filter->n_taps)});
}

}  // namespace metalmom::gpu
