#include "ops/pitch/piptrack.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "ops/instantiate.hpp"
#include "ops/pitch/peak_blocks.hpp"

namespace metalmom::ops {

dsp::PeakBand PeakParams::band(Index n_bins) const {
  dsp::PeakBand band{0, n_bins, bin_spacing};
  const auto frequency = [&](Index bin) { return static_cast<double>(bin) * bin_spacing; };
  while (band.first < n_bins && frequency(band.first) < std::max(fmin, 0.0)) ++band.first;
  while (band.last > band.first && frequency(band.last - 1) >= fmax) --band.last;
  return band;
}

template <class T>
PeakPlan plan_peaks(const PeakParams& params, const PeakInputs<T>& in) {
  check(params);
  require(in.S.cols >= 2, "S.shape[-2]", in.S.cols, "at least 2");
  const bool limited = in.limit.cols > 0;
  require(!limited || (in.limit.batch == in.S.batch && in.limit.cols == in.S.rows), "ref.size",
          in.limit.size(), "one value, or one for each frame");
  return {params, params.band(in.S.cols), in.S.batch, in.S.rows, in.S.cols, limited};
}

template PeakPlan plan_peaks(const PeakParams&, const PeakInputs<float>&);
template PeakPlan plan_peaks(const PeakParams&, const PeakInputs<double>&);

template <class T>
void Piptrack::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      const Index size = block.count * plan.n_bins;
      T* const pitches = out.pitches.row(block.b, block.first);
      T* const magnitudes = out.magnitudes.row(block.b, block.first);
      std::fill_n(pitches, size, T(0));
      std::fill_n(magnitudes, size, T(0));
      visit_stored_peaks(plan, in, block, [&](Index bin, Index lane, dsp::SpectralPeak<T> peak) {
        pitches[lane * plan.n_bins + bin] = peak.frequency;
        magnitudes[lane * plan.n_bins + bin] = peak.magnitude;
      });
    }
  });
}

Cost Piptrack::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n_frames * plan.n_bins);
  return {plan.batch * plan.n_frames, 5 * values, 12 * values};
}

METALMOM_INSTANTIATE_RUN(Piptrack);

}  // namespace metalmom::ops
