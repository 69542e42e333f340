#include "ops/spectral/log_bands.hpp"

#include <algorithm>
#include <limits>

#include "base/stage.hpp"
#include "base/workspace.hpp"
#include "dsp/decibel.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
LogBandPlan plan_log_bands(const LogBandParams& params, const BandInputs<T>& in) {
  check(params);
  constexpr double least = std::numeric_limits<float>::min();
  require(!params.logarithm || params.amin + params.offset >= least, "amin", params.amin,
          "with offset at least 2^-126, so that silence has a logarithm");
  const auto win_length = static_cast<Index>(in.window.size());
  LogBandPlan plan{
      {plan_frames(params, in.y, win_length, params), params.power, in.basis->n_bands()}, params};
  Index& n_frames = plan.frames.n_frames;
  if (params.drop_last) n_frames = std::max<Index>(n_frames - 1, 0);
  n_frames -= n_frames % params.patch;
  require_bins(*in.basis, plan.frames.n_bins);
  return plan;
}

template LogBandPlan plan_log_bands(const LogBandParams&, const BandInputs<float>&);
template LogBandPlan plan_log_bands(const LogBandParams&, const BandInputs<double>&);

Cost log_band_cost(const LogBandPlan& plan) {
  Cost cost = band_cost(plan);
  // a logarithm costs about 20 operations, and a step 3 a sample
  cost.flops +=
      static_cast<double>(cost.frames) *
      (20.0 * static_cast<double>(plan.n_bands) +
       (plan.frames.prepares() ? 3.0 * static_cast<double>(plan.frames.frame_length) : 0));
  return cost;
}

namespace {

template <bool by_frame, class T>
class LogBandConsumer final : public Consumer<T> {
 public:
  LogBandConsumer(const LogBandPlan& plan, const BandInputs<T>& in, const View<T>& bands)
      : Consumer<T>("log bands", plan.frames, in.y, in.window,
                    {Tap::Value::bands, true, static_cast<float>(plan.power), in.basis.get()}),
        basis_(in.basis),
        scale_{plan.amin, plan.offset, plan.scale, plan.shift},
        logarithm_(plan.logarithm),
        range_(static_cast<T>(plan.range)),
        out_(bands) {}

  bool takes_one_frame() const override { return true; }

  void consume(const Block& block, const T* bands, Index, T*) override {
    const Stage stage(stage::store);
    const Index n_bands = basis_->n_bands();
    const Lent<T> levels(logarithm_ ? n_bands * block.lanes : 0);
    if (logarithm_) {
      // Lanes without a frame hold nothing.
      const Index runs = block.count == block.lanes ? 1 : n_bands;
      const Index values = runs == 1 ? n_bands * block.lanes : block.count;
      for (Index i = 0; i < runs; ++i)
        dsp::simd::value_kernels<T>().logarithms(bands + i * block.lanes, values, scale_,
                                                 levels + i * block.lanes);
      bands = levels;
    }
    if constexpr (!by_frame) {
      T* const first = out_.row(block.b) + block.first;
      for (Index band = 0; band < n_bands; ++band)
        std::copy_n(bands + band * block.lanes, block.count, first + band * out_.cols);
    } else if (block.lanes == 1) {
      std::copy_n(bands, n_bands, out_.row(block.b, block.first));
    } else {
      dsp::store_rows(bands, n_bands, block.count, out_.row(block.b, block.first), n_bands);
    }
  }

  Index finish_tasks(Index n_signals) const override {
    return range_ < std::numeric_limits<T>::infinity() ? n_signals : 0;
  }
  void finish(const Finished<T>& finished, Index task) override {
    const Stage stage(stage::store);
    const Index count = out_.rows * out_.cols;
    T* const values = out_.row(finished.b + task);
    dsp::clamp_below<T>(values, count, dsp::largest_of(values, count) - range_, values);
  }

 private:
  std::shared_ptr<const dsp::Basis> basis_;
  const dsp::simd::LogScale scale_;
  const bool logarithm_;
  const T range_;
  View<T> out_;
};

}  // namespace

template <bool by_frame>
template <class T>
std::unique_ptr<Consumer<T>> LogBandsOf<by_frame>::consumer(const Plan& plan, const In<T>& in,
                                                            const Out<T>& out) {
  return std::make_unique<LogBandConsumer<by_frame, T>>(plan, in, out.bands);
}

template <bool by_frame>
template <class T>
void LogBandsOf<by_frame>::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  LogBandConsumer<by_frame, T> consumer(plan, in, out.bands);
  run_consumer(consumer);
}

METALMOM_INSTANTIATE_FRAME_OP(LogBands);
METALMOM_INSTANTIATE_FRAME_OP(LogBandsByFrame);
static_assert(FrameOperation<LogBandsInDouble>);

}  // namespace metalmom::ops
