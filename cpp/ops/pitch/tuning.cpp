#include "ops/pitch/tuning.hpp"

#include <vector>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"
#include "ops/pitch/peak_blocks.hpp"
#include "ops/pitch/peak_set.hpp"

namespace metalmom::ops {

namespace {

template <class T>
class PeakConsumer final : public Consumer<T> {
 public:
  PeakConsumer(const TuningEstimate::Plan& plan, const TuningEstimate::In<T>& in,
               const TuningOutput& out)
      : Consumer<T>("tuning", plan.frames, in.y, in.window,
                    {.power = static_cast<float>(plan.power)}),
        plan_(plan),
        out_(out) {}

  void consume(const Block& block, const T* lanes, Index, T*) override {
    const Stage stage(stage::peaks);
    const Index n_bins = plan_.frames.n_bins;
    T limit[dsp::block_frames];
    dsp::peak_limits<T>(lanes, n_bins, static_cast<T>(plan_.peaks.threshold), limit);
    // At most every other bin is a peak, because a peak is larger than its neighbours.
    const Lent<dsp::SpectralPeak<T>> found((n_bins / 2 + 1) * block.count);
    std::size_t count = 0;
    dsp::visit_peaks<T>(lanes, n_bins, block.count, limit, plan_.band,
                        [&](Index, Index, dsp::SpectralPeak<T> peak) { found[count++] = peak; });
    peaks_.add({found.data(), count});
  }

  void end() override {
    const Stage stage(stage::histogram);
    out_.fill(peaks_.tuning(plan_.tuning.resolution, plan_.tuning.bins_per_octave));
  }

 private:
  const TuningEstimate::Plan& plan_;
  TuningOutput out_;
  PeakSet<T> peaks_;
};

}  // namespace

template <class T>
TuningEstimate::Plan TuningEstimate::plan(const Params& params, const In<T>& in) {
  check(params);
  const FramePlan frames = plan_frames(params, in.y, static_cast<Index>(in.window.size()));
  return {frames, params.power, params, params.band(frames.n_bins), params};
}

template <class T>
std::unique_ptr<Consumer<T>> TuningEstimate::consumer(const Plan& plan, const In<T>& in,
                                                      const Out<T>& out) {
  return std::make_unique<PeakConsumer<T>>(plan, in, out);
}

template <class T>
void TuningEstimate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  PeakConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost TuningEstimate::cost(const Plan& plan) {
  Cost cost = Stft::cost(plan.frames);
  const double bins = static_cast<double>(cost.frames) * static_cast<double>(plan.frames.n_bins);
  cost.flops += 6 * bins;
  cost.bytes -= 8 * bins;
  return cost;
}

template <class T>
void SpectrumTuning::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  PeakSet<T> peaks;
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    std::vector<dsp::SpectralPeak<T>> found;
    for (Index i = first; i < last; ++i) {
      found.clear();
      visit_stored_peaks(plan, in, blocks.at(i),
                         [&](Index, Index, dsp::SpectralPeak<T> peak) { found.push_back(peak); });
      peaks.add(found);
    }
  });
  const Stage stage(stage::histogram);
  out.fill(peaks.tuning(plan.tuning.resolution, plan.tuning.bins_per_octave));
}

template <class T>
void PitchTuning::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  out.fill(dsp::histogram_tuning<T>(in.frequencies.flat(), plan.tuning.resolution,
                                    plan.tuning.bins_per_octave));
}

Cost PitchTuning::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n);
  return {plan.batch, 30 * values, 4 * values};
}

METALMOM_INSTANTIATE_PLAN(TuningEstimate);
METALMOM_INSTANTIATE_FRAME_OP(TuningEstimate);
METALMOM_INSTANTIATE_RUN(SpectrumTuning);
METALMOM_INSTANTIATE_RUN(PitchTuning);

}  // namespace metalmom::ops
