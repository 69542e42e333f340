#include "ops/cqt/band_energies.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "dsp/sections.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
BandEnergies::Plan BandEnergies::plan(const Params& params, const In<T>& in) {
  check(params);
  require(params.edge < in.y.cols, "edge", params.edge,
          "less than the number of samples, " + std::to_string(in.y.cols));
  const Index size = 6 * params.n_sections, n_filters = std::ssize(in.sections) / size;
  require(n_filters >= 1 && n_filters * size == std::ssize(in.sections), "sections.size",
          std::ssize(in.sections), "six values for each section of at least one filter");
  return {params, in.y.batch, in.y.cols, n_filters};
}

template <class T>
void BandEnergies::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  constexpr Index lanes = dsp::SectionGroup::lanes;
  const Params& params = plan.params;
  const dsp::FrameGrid grid{params.frame_length, params.n_frames, params.hop_length};
  const Index n_groups = ceil_div(plan.n_filters, lanes);
  parallel_for(plan.batch * n_groups, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Stage stage(stage::filters);
      const Index b = i / n_groups, filter = i % n_groups * lanes;
      const Index size = 6 * params.n_sections, count = std::min(lanes, plan.n_filters - filter);
      const dsp::SectionGroup group(in.sections.subspan(static_cast<std::size_t>(filter * size),
                                                        static_cast<std::size_t>(count * size)),
                                    params.n_sections);
      dsp::band_energies(group, in.y.row(b), plan.n_samples, params.edge, grid, params.factor,
                         out.energies.row(b, filter));
    }
  });
}

Cost BandEnergies::cost(const Plan& plan) {
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  const auto sections = static_cast<double>(plan.n_filters * plan.params.n_sections);
  return {plan.batch * plan.params.n_frames, 27 * samples * sections, 8 * samples};
}

METALMOM_INSTANTIATE_OP(BandEnergies);

}  // namespace metalmom::ops
