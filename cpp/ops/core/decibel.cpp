#include "ops/core/decibel.hpp"

#include <algorithm>
#include <cmath>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/decibel.hpp"
#include "dsp/defaults.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {
constexpr Index part_values = 1 << 15;
}

template <class T>
Decibel::Plan Decibel::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto n_ref = static_cast<Index>(in.ref.size());
  require(n_ref == 1 || n_ref == in.S.batch, "ref.size", n_ref, "1 or one for each group");
  return {params, in.S.batch, in.S.cols,
          std::ranges::all_of(in.ref, [](double ref) { return std::isfinite(ref); })};
}

template <class T>
void Decibel::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const double amin = plan.params.amin;
  const Index parts = ceil_div(plan.values, part_values);
  const Lent<T> maxima(plan.groups * parts);
  const auto bounds = [&](Index part) {
    const Index begin = part % parts * part_values;
    return std::pair{begin, std::min(part_values, plan.values - begin)};
  };
  parallel_for(plan.groups * parts, 4, [&](Index first, Index last) {
    for (Index part = first; part < last; ++part) {
      const Index group = part / parts;
      const auto [begin, count] = bounds(part);
      const double ref = in.ref[in.ref.size() == 1 ? 0 : static_cast<std::size_t>(group)];
      const dsp::DecibelScale<T> scale{static_cast<T>(amin), std::max(ref, amin),  // NaN stays
                                       plan.params.amplitude};
      maxima[part] =
          dsp::to_decibel(in.S.row(group) + begin, count, scale, out.level.row(group) + begin);
    }
  });
  if (std::isinf(plan.params.top_db)) return;
  parallel_for(plan.groups * parts, 4, [&](Index first, Index last) {
    for (Index part = first; part < last; ++part) {
      const Index group = part / parts;
      const auto [begin, count] = bounds(part);
      const T* of_group = maxima + group * parts;
      const T largest = dsp::largest_of(of_group, parts);
      T* const levels = out.level.row(group) + begin;
      dsp::clamp_below<T>(levels, count, largest - static_cast<T>(plan.params.top_db), levels);
    }
  });
}

Cost Decibel::cost(const Plan& plan) {
  // No axis of S is known to be time: frames of as many bands as mel spectrograms have.
  const Index values = plan.groups * plan.values;
  const Index frames = (values + dsp::defaults::n_mels - 1) / dsp::defaults::n_mels;
  return {frames, 20.0 * static_cast<double>(values), 8.0 * static_cast<double>(values)};
}

METALMOM_INSTANTIATE_OP(Decibel);

}  // namespace metalmom::ops
