#include "ops/core/phasors.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/bands.hpp"
#include "dsp/phases.hpp"
#include "ops/core/blocks.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Phasors::Plan Phasors::plan(const Params&, const In<T>& in) {
  require(in.turns.size() == in.S.size() && in.turns.cols == in.S.rows, "turns.size",
          in.turns.size(), "the size of S, " + std::to_string(in.S.size()));
  return {in.S.batch, in.S.rows, in.S.cols};
}

template <class T>
void Phasors::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    // Phases have frames as neighbours in memory, S has bins: phases are transposed 16 frames at a
    // time.
    const Lent<double> lanes(plan.n_bins * dsp::block_frames),
        rows(plan.n_bins * dsp::block_frames);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      for (Index bin = 0; bin < plan.n_bins; ++bin)
        std::copy_n(in.turns.row(block.b, bin) + block.first, block.count,
                    lanes + bin * dsp::block_frames);
      dsp::store_rows(lanes.data(), plan.n_bins, block.count, rows.data(), plan.n_bins);
      for (Index k = 0; k < block.count; ++k)
        dsp::phasors(rows + k * plan.n_bins, in.S.row(block.b, block.first + k), plan.n_bins,
                     out.spectrum.row(block.b, block.first + k));
    }
  });
}

Cost Phasors::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n_frames * plan.n_bins);
  return {plan.batch * plan.n_frames, 40 * values, 20 * values};
}

METALMOM_INSTANTIATE_OP(Phasors);

}  // namespace metalmom::ops
