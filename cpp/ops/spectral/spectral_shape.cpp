#include "ops/spectral/spectral_shape.hpp"

#include <algorithm>

#include "ops/core/stft.hpp"

namespace metalmom::ops {

namespace {

Cost magnitude_cost(const MagnitudePlan& plan, double flops_per_bin) {
  Cost cost = plan.stored ? Cost{} : Stft::cost(plan.frames);
  cost.frames = plan.frames.total_frames();
  const auto values = static_cast<double>(cost.frames * plan.frames.n_bins);
  cost.flops += flops_per_bin * values;
  cost.bytes += plan.stored ? 4 * values : -8 * values;
  return cost;
}

}  // namespace

template <class T>
SpectralShape::Plan SpectralShape::plan(const Params& params, const In<T>& in) {
  check(params);
  Plan plan{plan_magnitudes<T>(params, in), params};
  require_non_negative(in.S);
  const auto n_freq = static_cast<Index>(in.freq.size());
  require(n_freq == plan.frames.n_bins, "freq.size", n_freq,
          "the number of bins, " + std::to_string(plan.frames.n_bins));
  const auto n_centroid = static_cast<Index>(in.centroid.size());
  require(n_centroid == 0 || n_centroid == plan.frames.total_frames(), "centroid.size", n_centroid,
          "the number of frames, " + std::to_string(plan.frames.total_frames()));
  return plan;
}

template SpectralShape::Plan SpectralShape::plan(const Params&, const In<float>&);
template SpectralShape::Plan SpectralShape::plan(const Params&, const In<double>&);

template <class T>
void SpectralShape::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  // Flatness is of powers: the usual square needs no root before it.
  dsp::ShapeParams shape = plan.shape;
  const bool squares = !plan.stored && shape.shape == dsp::Shape::flatness && shape.power == 2;
  if (squares) shape.power = 1;
  const auto consume = [&](const Blocks::Block& block, const T* lanes) {
    const Stage stage(stage::shape);
    const Index at = block.b * plan.frames.n_frames + block.first;
    dsp::spectral_shape(shape, in.freq, lanes, block.count,
                        in.centroid.empty() ? nullptr : in.centroid.data() + at,
                        out.shape.data + at);
  };
  // The logarithms of near-empty bins count as much as those of loud ones.
  if (shape.shape == dsp::Shape::flatness)
    for_each_magnitude_block<double, T>(plan, in, consume, squares ? 2 : 1);
  else
    for_each_magnitude_block<T, T>(plan, in, consume);
}

template void SpectralShape::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void SpectralShape::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost SpectralShape::cost(const Plan& plan) {
  return magnitude_cost(plan, 8);
}

template <class T>
SpectralContrast::Plan SpectralContrast::plan(const Params& params, const In<T>& in) {
  check(params);
  Plan plan{plan_magnitudes<T>(params, in), {}};
  for (std::size_t i = 0; i + 2 < in.bands.size(); i += 3) {
    const Band band{static_cast<Index>(in.bands[i]), static_cast<Index>(in.bands[i + 1]),
                    static_cast<Index>(in.bands[i + 2])};
    require(band.first >= 0 && band.first <= band.last && band.last <= plan.frames.n_bins, "bands",
            in.bands[i], "a range of bins");
    plan.bands.push_back({band.first, band.last, std::min(band.n_tail, band.last - band.first)});
  }
  return plan;
}

template SpectralContrast::Plan SpectralContrast::plan(const Params&, const In<float>&);
template SpectralContrast::Plan SpectralContrast::plan(const Params&, const In<double>&);

template <class T>
void SpectralContrast::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  Index longest = 1;
  for (const Band& band : plan.bands) longest = std::max(longest, band.n_tail);
  const auto consume = [&](const Blocks::Block& block, const T* lanes) {
    const Stage stage(stage::shape);
    T* const sorted = lane_scratch<T, 2>(2 * longest);
    for (std::size_t k = 0; k < plan.bands.size(); ++k) {
      const auto& [first, last, n_tail] = plan.bands[k];
      double low[dsp::block_frames], high[dsp::block_frames];
      dsp::spectral_tails(lanes, first, last, n_tail, sorted, low, high);
      const auto row = static_cast<Index>(k);
      std::copy(low, low + block.count, out.valley.row(block.b, row) + block.first);
      std::copy(high, high + block.count, out.peak.row(block.b, row) + block.first);
    }
  };
  for_each_magnitude_block<double, T>(plan, in, consume);
}

template void SpectralContrast::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void SpectralContrast::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost SpectralContrast::cost(const Plan& plan) {
  return magnitude_cost(plan, 24);
}

static_assert(Operation<SpectralShape> && Operation<SpectralContrast>);

}  // namespace metalmom::ops
