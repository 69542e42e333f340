#include "ops/pitch/yin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/blocks.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

constexpr Index lanes = dsp::block_frames;

// Calls visit(block, differences, state) for every block of frames, in parallel. make() makes the
// state of each worker.
template <class T, class Make, class Visit>
void for_each_block(const PeriodPlan& plan, const View<const T>& y, Make&& make, Visit&& visit) {
  const dsp::PeriodDifferences<T> periods(plan.frames.params.n_fft, plan.periods);
  const Blocks blocks{plan.frames.batch, plan.frames.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    auto state = make();
    const Lent<T> differences(plan.periods.size() * lanes);
    for (Index i = first; i < last; ++i) {
      const Block block = blocks.at(i);
      periods.block(plan.frames.source(y, block.b), block.first, block.count, differences.data());
      visit(block, differences.data(), state);
    }
  });
}

Cost period_cost(const PeriodPlan& plan) {
  const auto frames = static_cast<double>(plan.frames.total_frames());
  const auto samples = static_cast<double>(plan.frames.batch * plan.frames.n_samples);
  return {plan.frames.total_frames(),
          // transforms of single frames, which take four times what those of blocks take
          frames * (8 * fft_flops(2 * plan.frames.params.n_fft) +
                    12 * static_cast<double>(plan.periods.last)),
          4 * samples + 8 * frames};
}

// Finds the likelihood of pitch bins, frame by frame. Keeps its memory from frame to frame.
template <class T>
class Observer {
 public:
  Observer(const PyinObservations::Plan& plan, const PyinObservations::In<T>& in)
      : params_(plan.params),
        periods_(plan.periods),
        troughs_({in.thresholds, in.weights, params_.boltzmann_parameter, params_.no_trough_prob}) {
  }

  // The pitch bins that have a likelihood, ascending. `voiced`: their sum, the probability that the
  // frame is voiced.
  std::span<const dsp::PeriodCandidate> observe(const T* differences, double& voiced) {
    troughs_.find(differences, periods_.size(), found_);
    bins_.clear();
    for (const auto& candidate : found_) {
      const double period = static_cast<double>(periods_.first + candidate.index) +
                            dsp::parabolic_shift(differences, periods_.size(), candidate.index);
      const double bin = std::nearbyint(static_cast<double>(params_.bins_per_octave) *
                                        std::log2(params_.sr / period / params_.fmin));
      const auto at =
          static_cast<Index>(std::clamp(bin, 0.0, static_cast<double>(params_.n_pitch_bins)));
      if (at < params_.n_pitch_bins) bins_.push_back({at, candidate.probability});
    }
    // If several candidates are in one bin, the one with the longest period counts: it is the last
    // of them.
    std::stable_sort(bins_.begin(), bins_.end(),
                     [](const auto& a, const auto& b) { return a.index < b.index; });
    const auto same = [](const auto& a, const auto& b) { return a.index == b.index; };
    bins_.erase(bins_.begin(), std::unique(bins_.rbegin(), bins_.rend(), same).base());
    voiced = 0;
    for (const auto& bin : bins_) voiced += bin.probability;
    voiced = std::clamp(voiced, 0.0, 1.0);
    return bins_;
  }

 private:
  const PyinObservations::Params& params_;
  dsp::PeriodRange periods_;
  dsp::TroughCandidates<T> troughs_;
  std::vector<dsp::PeriodCandidate> found_, bins_;
};

}  // namespace

PeriodPlan plan_periods(const FrameParams& frames, Index min_period, Index max_period, Index batch,
                        Index n_samples) {
  require(max_period > min_period, "max_period", max_period, "greater than min_period");
  require(max_period < frames.n_fft, "max_period", max_period, "less than frame_length");
  return {plan_frames(frames, batch, n_samples, frames.n_fft), {min_period, max_period}};
}

template <class T>
Yin::Plan Yin::plan(const Params& params, const In<T>& in) {
  check(params);
  return {plan_periods(params, params.min_period, params.max_period, in.y.batch, in.y.cols),
          params.sr, params.trough_threshold};
}

template <class T>
void Yin::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto none = [] { return 0; };
  for_each_block<T>(plan, in.y, none, [&](const Block& block, const T* differences, int) {
    double f0[lanes];
    dsp::choose_frequencies(differences, plan.periods, plan.trough_threshold, plan.sr, f0);
    std::copy_n(f0, block.count, out.f0.row(block.b) + block.first);
  });
}

Cost Yin::cost(const Plan& plan) {
  return period_cost(plan);
}

template <class T>
PyinObservations::Plan PyinObservations::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto n_weights = std::ssize(in.weights);
  require(n_weights >= 1 && n_weights + 1 == std::ssize(in.thresholds), "weights.size", n_weights,
          "one less than that of thresholds");
  return {plan_periods(params, params.min_period, params.max_period, in.y.batch, in.y.cols),
          params};
}

template <class T>
void PyinObservations::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  constexpr double tiny = std::numeric_limits<double>::min();
  const Index n_bins = plan.params.n_pitch_bins;
  const double nothing = std::log(tiny);
  const auto make = [&] { return Observer<T>(plan, in); };
  for_each_block<T>(
      plan, in.y, make, [&](const Block& block, const T* differences, Observer<T>& observer) {
        // The rows of voiced bins are filled first, since nearly all of their values mean "no
        // likelihood".
        double unvoiced[lanes];
        for (Index bin = 0; bin < n_bins; ++bin)
          std::fill_n(out.log_prob.row(block.b, bin) + block.first, block.count, nothing);
        for (Index i = 0; i < block.count; ++i) {
          const Index frame = block.first + i;
          double voiced;
          for (const auto& bin : observer.observe(differences + i, voiced))
            out.log_prob.row(block.b, bin.index)[frame] = std::log(bin.probability + tiny);
          out.voiced_prob.row(block.b)[frame] = voiced;
          unvoiced[i] = std::log((1 - voiced) / static_cast<double>(n_bins) + tiny);
        }
        for (Index bin = n_bins; bin < 2 * n_bins; ++bin)
          std::copy_n(unvoiced, block.count, out.log_prob.row(block.b, bin) + block.first);
      });
}

Cost PyinObservations::cost(const Plan& plan) {
  return period_cost(plan);
}

METALMOM_INSTANTIATE_OP(PyinObservations);
METALMOM_INSTANTIATE_OP(Yin);

}  // namespace metalmom::ops
