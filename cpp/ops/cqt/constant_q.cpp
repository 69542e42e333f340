#include "ops/cqt/constant_q.hpp"

#include <algorithm>
#include <numeric>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/blocks.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
ConstantQ::Plan ConstantQ::plan(const Params& params, const In<T>& in) {
  check(params);
  const dsp::OctaveBank& bank = *in.bank;
  require(!bank.synthesis, "bank", std::string_view("of synthesis"), "of analysis");
  require(in.y.cols >= 1 || params.pad_mode == dsp::PadMode::constant, "y.shape[-1]", in.y.cols,
          "at least 1 to be padded with anything but zeros");
  const Index factor = Index(1) << params.early_halvings;
  Plan plan{params, in.y.batch, in.y.cols, bank.n_bins, 0, {}, 0, 0};
  plan.lengths = {dsp::resampled_length(in.y.cols, static_cast<double>(factor), 1)};
  for (const dsp::Octave& octave : bank.octaves) {
    while (static_cast<Index>(plan.lengths.size()) <= octave.halvings)
      plan.lengths.push_back(dsp::resampled_length(plan.lengths.back(), 2, 1));
    const Index n_fft = bank.n_fft(octave);
    const Index n_frames =
        dsp::count_frames(plan.lengths[static_cast<std::size_t>(octave.halvings)],
                          octave.hop_length, n_fft, n_fft / 2);
    plan.n_frames = plan.n_frames ? std::min(plan.n_frames, n_frames) : n_frames;
    plan.multiply_adds += static_cast<double>(2 * bank.bins_of(octave) * n_fft);
    plan.reach = std::max(plan.reach, in.y.cols + 2 * n_fft + octave.hop_length);
  }
  return plan;
}

namespace {

// A batch of signals at the first octave's rate, at half of it, and so on.
template <class T>
class Rates {
 public:
  Rates(const ConstantQ::Plan& plan, const View<const T>& y)
      : first_made_(plan.params.early_halvings > 0 ? 0 : 1),
        memory_(y.batch *
                std::accumulate(plan.lengths.begin() + first_made_, plan.lengths.end(), Index(0))) {
    T* at = memory_;
    for (const Index length : plan.lengths) {
      if (std::ssize(levels_) < first_made_) {
        levels_.push_back(y);
        continue;
      }
      levels_.push_back({at, y.batch, 1, length});
      at += y.batch * length;
    }
    const bool makes_some = std::ssize(levels_) > first_made_;
    parallel_for(makes_some ? y.batch : 0, 1, [&](Index first, Index last) {
      for (Index b = first; b < last; ++b)
        for (Index level = first_made_; level < std::ssize(levels_); ++level) {
          const Stage stage(stage::resample);
          const View<const T>& from = level == 0 ? y : this->at(level - 1);
          const View<const T>& to = this->at(level);
          const Index factor = level == 0 ? Index(1) << plan.params.early_halvings : 2;
          dsp::resample_signal(from.row(b), from.cols, static_cast<double>(factor), 1,
                               plan.params.res_type,
                               memory_ + (to.row(b) - this->at(first_made_).data), to.cols);
        }
    });
  }

  const View<const T>& at(Index halvings) const {
    return levels_[static_cast<std::size_t>(halvings)];
  }

 private:
  const Index first_made_;  // 0 if the first level is made too; 1 if it is the audio itself
  Lent<T> memory_;
  std::vector<View<const T>> levels_;
};

}  // namespace

template <class T>
void ConstantQ::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const dsp::OctaveBank& bank = *in.bank;
  const Rates<T> rates(plan, in.y);
  const Blocks blocks{plan.batch, plan.n_frames};
  const auto n_octaves = static_cast<Index>(bank.octaves.size());
  parallel_for(blocks.total() * n_octaves, block_grain, [&](Index first, Index last) {
    const Lent<T> work(bank.work_size());
    for (Index i = first; i < last; ++i) {
      // All blocks of one octave before those of the next, so that its filters stay in cache.
      const dsp::Octave& octave = bank.octaves[static_cast<std::size_t>(i / blocks.total())];
      const auto block = blocks.at(i % blocks.total());
      const View<const T>& y = rates.at(octave.halvings);
      const Index n_fft = bank.n_fft(octave);
      const Stage stage(stage::filters);
      dsp::analyse_block(bank, octave,
                         dsp::FrameSource<T>{y.row(block.b), y.cols, octave.hop_length, n_fft,
                                             n_fft / 2, plan.params.pad_mode},
                         block.first, block.count, work.data(),
                         out.spectrum.row(block.b, block.first) + octave.first_bin, plan.n_bins);
    }
  });
}

Cost ConstantQ::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.batch * plan.n_frames, 2 * frames * plan.multiply_adds,
          8 * samples + 8 * frames * static_cast<double>(plan.n_bins)};
}

METALMOM_INSTANTIATE_OP(ConstantQ);

}  // namespace metalmom::ops
