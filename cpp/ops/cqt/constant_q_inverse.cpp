#include "ops/cqt/constant_q_inverse.hpp"

#include <algorithm>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/pace.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/istft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

// The samples that centred frames cover (an odd length has one more).
Index covered(const dsp::OctaveBank& bank, const dsp::Octave& octave, Index n_frames) {
  const Index n_fft = bank.n_fft(octave);
  return n_fft + octave.hop_length * (n_frames - 1) - n_fft / 2 * 2;
}

// Adds up an octave's frames, and divides each sample by the number of frames that overlap there.
template <class T>
void overlap_octave(const dsp::OctaveBank& bank, const dsp::Octave& octave,
                    const std::complex<T>* bins, Index n_frames, Index n_samples, T* y) {
  const Index n_fft = bank.n_fft(octave), hop = octave.hop_length, start = n_fft / 2;
  const std::vector<double> ones(static_cast<std::size_t>(n_fft), 1.0);
  const WindowSum<T> sums(ones, n_fft, hop, n_frames);
  // As in istft: parts are ranges of samples, frames over a border are made on both sides of it.
  const Index grain = std::max<Index>(64 * hop, 4 * n_fft);
  parallel_for(ceil_div(n_samples, grain), 1, [&](Index first, Index last) {
    const Lent<T> work(bank.work_size());
    for (Index part = first; part < last; ++part) {
      const Index begin = part * grain + start, end = std::min(begin + grain, n_samples + start);
      T* const to = y + part * grain;
      std::fill(to, to + (end - begin), T(0));
      const Index last_frame = std::min(n_frames, (end - 1) / hop + 1);
      for (Index frame = begin < n_fft ? 0 : (begin - n_fft) / hop + 1; frame < last_frame;
           frame += dsp::block_frames) {
        const Stage stage(stage::filters);
        dsp::synthesise_block(bank, octave, bins + frame * bank.n_bins + octave.first_bin,
                              bank.n_bins, std::min(dsp::block_frames, last_frame - frame),
                              frame * hop - begin, end - begin, work.data(), to);
      }
      sums.divide(begin, end, to);
    }
  });
}

// Resamples a signal to `factor` times its rate and adds it to `y`.
template <class T>
void add_at_rate(const T* in, Index count, Index factor, dsp::Quality quality, T* y, Index room) {
  const Stage stage(stage::resample);
  if (factor == 1) {
    for (Index i = 0; i < std::min(count, room); ++i) y[i] += in[i];
    return;
  }
  constexpr Index block = 1 << 12;
  const Lent<T> out(block);
  dsp::Resampler<T> resampler(1, static_cast<double>(factor), quality,
                              dsp::scale_of(in, count, quality));
  Index used = 0, made = 0;
  Pace pace;
  while (made < room) {
    pace.did(block);
    typename dsp::Resampler<T>::Progress step{};
    const Index wanted = std::min(block, room - made);
    if (used < count)
      step = resampler.process(in + used, std::min(block, count - used), out.data(), wanted);
    else if ((step.made = resampler.flush(out.data(), wanted)) == 0)
      return;
    for (Index i = 0; i < step.made; ++i) y[made + i] += out.data()[i];
    used += step.used;
    made += step.made;
  }
}

}  // namespace

template <class T>
ConstantQInverse::Plan ConstantQInverse::plan(const Params& params, const In<T>& in) {
  check(params);
  const dsp::OctaveBank& bank = *in.bank;
  const auto& C = in.spectrum;
  require(bank.synthesis, "bank", std::string_view("of analysis"), "of synthesis");
  require(C.cols == bank.n_bins, "C.shape[-2]", C.cols, std::to_string(bank.n_bins));
  require(C.rows >= 1, "C.shape[-1]", C.rows, "at least 1");
  const dsp::Octave& lowest = bank.octaves.front();
  Plan plan{params, C.batch, C.rows, bank.n_bins, params.length, 0};
  if (plan.n_samples == 0) plan.n_samples = covered(bank, lowest, C.rows) << lowest.halvings;
  require(plan.n_samples >= 1, "C.shape[-1]", C.rows, "enough frames for one sample");
  for (const dsp::Octave& octave : bank.octaves)
    plan.multiply_adds += static_cast<double>(2 * bank.bins_of(octave) * bank.n_fft(octave));
  return plan;
}

template <class T>
void ConstantQInverse::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const dsp::OctaveBank& bank = *in.bank;
  Index longest = 0;
  for (const dsp::Octave& octave : bank.octaves)
    longest = std::max(longest, covered(bank, octave, plan.n_frames));
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    const Lent<T> at_octave(longest);
    for (Index b = first; b < last; ++b) {
      T* const y = out.y.row(b);
      std::fill(y, y + plan.n_samples, T(0));
      for (const dsp::Octave& octave : bank.octaves) {
        const Index count = covered(bank, octave, plan.n_frames);
        overlap_octave(bank, octave, in.spectrum.row(b), plan.n_frames, count, at_octave.data());
        add_at_rate<T>(at_octave.data(), count, Index(1) << octave.halvings, plan.params.res_type,
                       y, plan.n_samples);
      }
    }
  });
}

Cost ConstantQInverse::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  return {plan.batch * plan.n_frames, 2 * frames * plan.multiply_adds,
          8 * frames * static_cast<double>(plan.n_bins) +
              4 * static_cast<double>(plan.batch * plan.n_samples)};
}

METALMOM_INSTANTIATE_OP(ConstantQInverse);

}  // namespace metalmom::ops
