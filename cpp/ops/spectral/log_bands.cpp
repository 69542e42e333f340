#include "ops/spectral/log_bands.hpp"

#include <algorithm>
#include <limits>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workspace.hpp"
#include "dsp/decibel.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

void set_rows(LogBandPlan& plan) {
  Index& n_frames = plan.frames.n_frames;
  if (!plan.patch_hop) plan.patch_hop = plan.patch;
  if (plan.n_rows) {
    n_frames = std::min(n_frames, plan.n_rows);
    return;
  }
  const auto patches = [&](Index frames, Index part) {
    return 1 + (frames - plan.patch + part) / plan.patch_hop;
  };
  Index n_patches = n_frames < plan.patch ? 0 : patches(n_frames, 0);
  if (plan.whole_patches) {  // of frames up to the first that has the last sample
    const Index beyond = std::max<Index>(plan.frames.n_samples - plan.frames.frame_length, 0);
    const Index reached = 1 + ceil_div(beyond, plan.frames.params.hop_length);
    n_patches = reached < plan.patch ? 1 : patches(reached, plan.patch_hop - 1);
  }
  n_frames = n_patches ? plan.patch + (n_patches - 1) * plan.patch_hop : 0;
  plan.n_rows = n_patches * plan.patch;
}

}  // namespace

template <class T>
LogBandPlan plan_log_bands(const LogBandParams& params, const BandInputs<T>& in) {
  check(params);
  const bool in_patches = params.patch > 1 || params.patch_hop || params.whole_patches;
  require(!params.n_rows || !in_patches, "n_rows", params.n_rows, "0 where frames are in patches");
  constexpr double least = std::numeric_limits<float>::min();
  require(!params.logarithm || params.amin + params.offset >= least, "amin", params.amin,
          "with offset at least 2^-126, so that silence has a logarithm");
  const auto win_length = static_cast<Index>(in.window.size());
  LogBandPlan plan{
      {plan_frames(params, in.y, win_length, params), params.power, in.basis->n_bands()}, params};
  Index& n_frames = plan.frames.n_frames;
  if (params.drop_last) n_frames = std::max<Index>(n_frames - 1, 0);
  set_rows(plan);
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
        patch_(plan.patch),
        patch_hop_(plan.patch_hop),
        out_(bands) {
    if (patch_ != patch_hop_) return;
    const Index n_frames = plan.frames.n_frames, lacking = (plan.n_rows - n_frames) * plan.n_bands;
    for (Index b = 0; lacking && b < out_.batch; ++b)
      std::fill_n(out_.row(b, n_frames), lacking, static_cast<T>(plan.shift));
  }

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
    } else if (patch_ == patch_hop_) {
      store_rows(block, bands, out_.row(block.b, block.first));
    } else {
      const Lent<T> rows(block.count * n_bands);
      store_rows(block, bands, rows);
      for (Index i = 0; i < block.count; ++i)
        store_in_patches(block.b, block.first + i, rows + i * n_bands);
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
  void store_rows(const Block& block, const T* bands, T* rows) const {
    const Index n_bands = basis_->n_bands();
    if (block.lanes == 1)
      std::copy_n(bands, n_bands, rows);
    else
      dsp::store_rows(bands, n_bands, block.count, rows, n_bands);
  }
  // Into each patch that has the frame.
  void store_in_patches(Index b, Index frame, const T* row) const {
    Index patch = frame < patch_ ? 0 : (frame - patch_) / patch_hop_ + 1;
    const Index last = std::min(frame / patch_hop_, out_.rows / patch_ - 1);
    for (; patch <= last; ++patch)
      std::copy_n(row, out_.cols, out_.row(b, patch * patch_ + frame - patch * patch_hop_));
  }

  std::shared_ptr<const dsp::Basis> basis_;
  const dsp::simd::LogScale scale_;
  const bool logarithm_;
  const T range_;
  const Index patch_, patch_hop_;
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
