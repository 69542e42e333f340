#include "ops/pitch/tuning.hpp"

#include <mutex>
#include <vector>

#include "ops/pitch/peak_blocks.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::ops {

namespace {

// Peaks found by several workers. Their order depends on the workers; a median and a histogram do
// not depend on the order.
template <class T>
class PeakSet {
 public:
  std::vector<dsp::SpectralPeak<T>>& local() const {
    static thread_local std::vector<dsp::SpectralPeak<T>> peaks;
    peaks.clear();
    return peaks;
  }
  void add(const std::vector<dsp::SpectralPeak<T>>& found) {
    std::lock_guard lock(mutex_);
    peaks_.insert(peaks_.end(), found.begin(), found.end());
  }
  dsp::Tuning tuning(const TuningParams& params) const {
    return dsp::peaks_tuning<T>(peaks_, params.resolution, params.bins_per_octave);
  }

 private:
  std::mutex mutex_;
  std::vector<dsp::SpectralPeak<T>> peaks_;
};

}  // namespace

template <class T>
TuningEstimate::Plan TuningEstimate::plan(const Params& params, const In<T>& in) {
  check(params);
  const FramePlan frames = plan_frames(params, in.y, static_cast<Index>(in.window.size()));
  return {frames, params.power, params, params.band(frames.n_bins), params};
}

template TuningEstimate::Plan TuningEstimate::plan(const Params&, const In<float>&);
template TuningEstimate::Plan TuningEstimate::plan(const Params&, const In<double>&);

template <class T>
void TuningEstimate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto transform = dsp::frame_transform<T>(plan.frames.params.n_fft, in.window);
  const Blocks blocks{plan.frames.batch, plan.frames.n_frames};
  PeakSet<T> peaks;
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    auto& found = peaks.local();
    power_blocks(plan.frames, in.y, *transform, static_cast<float>(plan.power), first, last,
                 [&](const Blocks::Block& block, const T* lanes) {
                   const Stage stage(stage::peaks);
                   T limit[dsp::block_frames];
                   dsp::peak_limits<T>(lanes, plan.frames.n_bins,
                                       static_cast<T>(plan.peaks.threshold), limit);
                   dsp::visit_peaks<T>(lanes, plan.frames.n_bins, block.count, limit, plan.band,
                                       [&](Index, Index, dsp::SpectralPeak<T> peak) {
                                         found.push_back(peak);
                                       });
                 });
    peaks.add(found);
  });
  const Stage stage(stage::histogram);
  out.fill(peaks.tuning(plan.tuning));
}

template void TuningEstimate::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void TuningEstimate::run_cpu(const Plan&, const In<double>&, const Out<double>&);

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
    auto& found = peaks.local();
    for (Index i = first; i < last; ++i)
      visit_stored_peaks(plan, in, blocks.at(i), [&](Index, Index, dsp::SpectralPeak<T> peak) {
        found.push_back(peak);
      });
    peaks.add(found);
  });
  const Stage stage(stage::histogram);
  out.fill(peaks.tuning(plan.tuning));
}

template void SpectrumTuning::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void SpectrumTuning::run_cpu(const Plan&, const In<double>&, const Out<double>&);

template <class T>
void PitchTuning::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  out.fill(dsp::histogram_tuning<T>(in.frequencies.flat(), plan.tuning.resolution,
                                    plan.tuning.bins_per_octave));
}

template void PitchTuning::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void PitchTuning::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost PitchTuning::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n);
  return {plan.batch, 30 * values, 4 * values};
}

static_assert(Operation<TuningEstimate> && Operation<SpectrumTuning> && Operation<PitchTuning>);

}  // namespace metalmom::ops
