#include "ops/spectral/spectral_shape.hpp"

#include <algorithm>
#include <cmath>

#include "base/error_parts.hpp"
#include "base/stage.hpp"
#include "base/workspace.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

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
  Plan plan{plan_magnitudes<T>(params, in), params, !in.centroid.empty()};
  const auto n_freq = static_cast<Index>(in.freq.size());
  require(n_freq == plan.frames.n_bins, "freq.size", n_freq,
          "the number of bins, " + std::to_string(plan.frames.n_bins));
  const auto n_centroid = static_cast<Index>(in.centroid.size());
  require(n_centroid == 0 || n_centroid == plan.frames.total_frames(), "centroid.size", n_centroid,
          "the number of frames, " + std::to_string(plan.frames.total_frames()));
  return plan;
}

namespace {

// Mean frequencies divide by a sum, so their input must be finite; the other shapes pass NaN on.
bool has_mean(const SpectralShape::Plan& plan) {
  const dsp::ShapeParams& shape = plan.shape;
  return shape.shape == dsp::Shape::centroid ||
         (shape.shape == dsp::Shape::bandwidth && (shape.norm || !plan.given_centroid));
}

}  // namespace

template <class T>
void SpectralShape::check_values(Plan& plan, const In<T>& in) {
  require_magnitudes(in.S, has_mean(plan));
}

namespace {

// Flatness reads powers: for audio and the usual exponent 2 the squares are enough, without a root.
bool takes_squares(const SpectralShape::Plan& plan) {
  return !plan.stored && plan.shape.shape == dsp::Shape::flatness && plan.shape.power == 2;
}

template <class T>
class ShapeConsumer final : public Consumer<T> {
 public:
  // Flatness is transformed in double: logarithms of near-empty bins count in it as much as those
  // of loud bins.
  ShapeConsumer(const SpectralShape::Plan& plan, const SpectralShape::In<T>& in,
                const SpectralShape::Out<T>& out)
      : Consumer<T>(name_of(plan.shape.shape), plan.frames, in.y, in.window,
                    {.wide = plan.shape.shape == dsp::Shape::flatness,
                     .power = takes_squares(plan) ? 2.0F : 1.0F}),
        params_(plan.shape),
        freq_(in.freq),
        centroid_(in.centroid),
        shape_(out.shape) {
    if (takes_squares(plan)) params_.power = 1;
  }

  void consume(const Block& block, const T* lanes, Index, T*) override {
    const Stage stage(stage::shape);
    const Index at = block.b * shape_.cols + block.first;
    dsp::spectral_shape(params_, freq_, lanes, block.count,
                        centroid_.empty() ? nullptr : centroid_.data() + at, shape_.data + at);
  }

 private:
  static const char* name_of(dsp::Shape shape) {
    return EnumNames<dsp::Shape>::value[static_cast<std::size_t>(shape)].data();
  }

  dsp::ShapeParams params_;
  std::span<const double> freq_, centroid_;
  View<double> shape_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> SpectralShape::consumer(const Plan& plan, const In<T>& in,
                                                     const Out<T>& out) {
  return std::make_unique<ShapeConsumer<T>>(plan, in, out);
}

template <class T>
void SpectralShape::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  ShapeConsumer<T> consumer(plan, in, out);
  consume_magnitudes(plan, in, consumer);
}

template <class T>
void SpectralShape::check_results(const Plan& plan, const Out<T>& out) {
  if (plan.stored || !has_mean(plan)) return;
  const std::span values(out.shape.data, static_cast<std::size_t>(plan.frames.total_frames()));
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
    throw ArgumentError({.name = "y", .rule = "small enough for its spectrum to be finite"});
}

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

namespace {

template <class T>
class ContrastConsumer final : public Consumer<T> {
 public:
  ContrastConsumer(const SpectralContrast::Plan& plan, const SpectralContrast::In<T>& in,
                   const SpectralContrast::Out<T>& out)
      : Consumer<T>("contrast", plan.frames, in.y, in.window, {.wide = true, .power = 1}),
        bands_(plan.bands),
        stored_(plan.stored),
        out_(out) {
    for (const auto& band : bands_) longest_ = std::max(longest_, band.n_tail);
  }

  void consume(const Block& block, const T* lanes, Index, T*) override {
    const Stage stage(stage::shape);
    const Lent<T> sorted(2 * longest_ * dsp::block_frames);
    for (std::size_t k = 0; k < bands_.size(); ++k) {
      const auto& [first, last, n_tail] = bands_[k];
      double low[dsp::block_frames], high[dsp::block_frames];
      dsp::spectral_tails(lanes, first, last, n_tail, sorted.data(), low, high);
      // audio was checked and has no NaN
      if (stored_) dsp::pass_on_nan(lanes, first, last, low, high);
      const auto row = static_cast<Index>(k);
      std::copy(low, low + block.count, out_.valley.row(block.b, row) + block.first);
      std::copy(high, high + block.count, out_.peak.row(block.b, row) + block.first);
    }
  }

 private:
  const std::vector<SpectralContrast::Band>& bands_;
  bool stored_;
  SpectralContrast::Out<T> out_;
  Index longest_ = 1;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> SpectralContrast::consumer(const Plan& plan, const In<T>& in,
                                                        const Out<T>& out) {
  return std::make_unique<ContrastConsumer<T>>(plan, in, out);
}

template <class T>
void SpectralContrast::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  ContrastConsumer<T> consumer(plan, in, out);
  consume_magnitudes(plan, in, consumer);
}

Cost SpectralContrast::cost(const Plan& plan) {
  return magnitude_cost(plan, 24);
}

METALMOM_INSTANTIATE_CHECK(SpectralShape);
template void SpectralShape::check_results(const Plan&, const Out<float>&);
template void SpectralShape::check_results(const Plan&, const Out<double>&);
METALMOM_INSTANTIATE_PLAN(SpectralShape);
METALMOM_INSTANTIATE_FRAME_OP(SpectralShape);
METALMOM_INSTANTIATE_PLAN(SpectralContrast);
METALMOM_INSTANTIATE_FRAME_OP(SpectralContrast);

}  // namespace metalmom::ops
