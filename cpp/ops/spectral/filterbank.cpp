#include "ops/spectral/filterbank.hpp"

#include <algorithm>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

void require_bins(const dsp::Basis& basis, Index n_bins) {
  require(basis.n_bins() == n_bins, "basis.shape[-1]", basis.n_bins(),
          "the number of bins, " + std::to_string(n_bins));
}

template <class T>
BandPlan plan_bands(const SpectrogramParams& params, const BandInputs<T>& in) {
  check(params);
  BandPlan plan{plan_frames(params, in.y, static_cast<Index>(in.window.size())), params.power,
                in.basis->n_bands()};
  require_bins(*in.basis, plan.frames.n_bins);
  return plan;
}

template BandPlan plan_bands(const SpectrogramParams&, const BandInputs<float>&);
template BandPlan plan_bands(const SpectrogramParams&, const BandInputs<double>&);

Cost band_cost(const BandPlan& plan) {
  const auto n_bins = static_cast<double>(plan.frames.n_bins);
  const auto bands = static_cast<double>(plan.n_bands);
  Cost cost = Stft::cost(plan.frames);
  const auto frames = static_cast<double>(cost.frames);
  cost.flops += frames * 7 * n_bins;  // power, two multiply-adds per bin
  cost.bytes += frames * (4 * bands - 8 * n_bins);
  return cost;
}

namespace {

template <class T>
class BandConsumer final : public Consumer<T> {
 public:
  BandConsumer(const BandPlan& plan, const BandInputs<T>& in,
               const FilterbankSpectrogram::Out<T>& out)
      : Consumer<T>("bands", plan.frames, in.y, in.window,
                    {Tap::Value::bands, false, static_cast<float>(plan.power), in.basis.get()}),
        basis_(in.basis),
        bands_(out.bands) {}

  bool takes_one_frame() const override { return true; }

  // If nobody else reads these bands, they are written straight to the result.
  bool weigh(const Block& block, const T* powers) override {
    const Stage stage(stage::bands);
    T* const first = bands_.row(block.b) + block.first;
    if (block.lanes == 1)
      dsp::apply_bands_to_one(*basis_, powers, first, bands_.cols);
    else
      dsp::apply_bands(*basis_, powers, block.count, first, bands_.cols);
    return true;
  }

  void consume(const Block& block, const T* bands, Index, T*) override {
    const Stage stage(stage::store);
    T* const first = bands_.row(block.b) + block.first;
    for (Index band = 0; band < bands_.rows; ++band)
      std::copy_n(bands + band * block.lanes, block.count, first + band * bands_.cols);
  }

 private:
  std::shared_ptr<const dsp::Basis> basis_;
  View<T> bands_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> FilterbankSpectrogram::consumer(const Plan& plan, const In<T>& in,
                                                             const Out<T>& out) {
  return std::make_unique<BandConsumer<T>>(plan, in, out);
}

template <class T>
void FilterbankSpectrogram::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  BandConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

template <class T>
FilterbankProduct::Plan FilterbankProduct::plan(const Params&, const In<T>& in) {
  const Plan plan{in.S.batch, in.S.n_frames(), in.S.n_bins(), in.basis->n_bands()};
  require_bins(*in.basis, plan.n_bins);
  return plan;
}

template <class T>
void FilterbankProduct::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  const Index bin_stride = in.S.bin_stride(), frame_stride = in.S.frame_stride();
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    const Lent<T> lanes(plan.n_bins * dsp::block_frames);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      dsp::load_lanes(in.S.row(block.b) + block.first * frame_stride, plan.n_bins, bin_stride,
                      frame_stride, block.count, lanes.data());
      dsp::apply_bands(*in.basis, static_cast<const T*>(lanes.data()), block.count,
                       out.bands.row(block.b) + block.first, plan.n_frames);
    }
  });
}

Cost FilterbankProduct::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto bins = static_cast<double>(plan.n_bins), bands = static_cast<double>(plan.n_bands);
  return {plan.batch * plan.n_frames, frames * 4 * bins, 4 * frames * (bins + bands)};
}

METALMOM_INSTANTIATE_FRAME_OP(FilterbankSpectrogram);
METALMOM_INSTANTIATE_OP(FilterbankProduct);

}  // namespace metalmom::ops
