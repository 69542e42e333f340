#include "ops/effects/hpss.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/error_parts.hpp"
#include "base/interrupt.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

constexpr Index block_rows = dsp::CrossMedians<float>::block_rows;

// For each value: two medians by the shared network of 45 comparators, each of which loads two and
// stores two vectors and so takes as long as four multiply-adds; then masks and products.
constexpr double flops_per_value = 2 * 45 * 4 + 20;

template <class T>
bool any_negative(const T* values, Index n) {
  int count = 0;  // counts them all: a loop that stopped at the first one would not vectorise
  for (Index i = 0; i < n; ++i) count += values[i] < T(0);
  return count > 0;
}

template <class T>
bool has_negative(std::span<const T> values) {
  std::atomic<bool> found{false};
  parallel_for(static_cast<Index>(values.size()), Index{1} << 18, [&](Index first, Index last) {
    if (any_negative(values.data() + first, last - first)) found = true;
  });
  return found;
}

}  // namespace

template <class T>
Hpss::Plan Hpss::plan(const Params& params, const In<T>& in) {
  check(params);
  return {params, in.S.batch, in.S.rows, params.pairs ? in.S.cols / 2 : in.S.cols};
}

template <class T>
void Hpss::check_values(Plan& plan, const In<T>& in) {
  plan.negative = !plan.params.pairs && in.S.data && has_negative(in.S.flat());
}

namespace {

// Writes one row of both results, given its medians.
template <class T>
void write_row(const Hpss::Plan& plan, const T* S, dsp::CrossMedians<T>& medians, Index i,
               T* harmonic, T* percussive) {
  const Index n = plan.cols;
  const T* down = medians.down_rows(i);
  const T* across = medians.across_columns(i);
  if (plan.negative && (any_negative(down, n) || any_negative(across, n)))
    throw ArgumentError(
        {.name = "S", .rule = "non-negative: X and X_ref of its masks are its medians"});
  if (!plan.params.frames_major) std::swap(down, across);
  if (plan.params.mask) {
    dsp::hpss_masks<T>(plan.params, down, across, n, harmonic, percussive);
    return;
  }
  const Lent<T> mask_h(n), mask_p(n);
  dsp::hpss_masks<T>(plan.params, down, across, n, mask_h, mask_p);
  if (plan.params.pairs) {
    dsp::scale_pairs(S, mask_h.data(), n, harmonic);
    dsp::scale_pairs(S, mask_p.data(), n, percussive);
  } else {
    for (Index k = 0; k < n; ++k) harmonic[k] = S[k] * mask_h[k];
    for (Index k = 0; k < n; ++k) percussive[k] = S[k] * mask_p[k];
  }
}

}  // namespace

template <class T>
void Hpss::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  if (plan.rows == 0 || plan.cols == 0) return;
  const Index blocks = ceil_div(plan.rows, block_rows);
  parallel_for(plan.batch * blocks, 8, [&](Index first_block, Index last_block) {
    dsp::CrossMedians<T> medians(plan.rows, plan.cols, plan.row_size(), plan.column_size(), false);
    Index started = -1;
    for (Index block = first_block; block < last_block; ++block) {
      check_interrupt();  // rows are as long as the signal
      const Index b = block / blocks, first = block % blocks * block_rows;
      const Index count = std::min(block_rows, plan.rows - first);
      if (std::exchange(started, b) != b) medians.restart();
      medians.advance(first, count, [&](Index row, T* magnitudes, T*) {
        if (plan.params.pairs)
          dsp::pair_magnitudes(in.S.row(b, row), plan.cols, magnitudes);
        else
          std::copy_n(in.S.row(b, row), plan.cols, magnitudes);
      });
      const Stage stage("masks");
      for (Index i = 0; i < count; ++i)
        write_row(plan, in.S.row(b, first + i), medians, i, out.harmonic.row(b, first + i),
                  out.percussive.row(b, first + i));
    }
  });
}

Cost Hpss::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.rows * plan.cols);
  return {plan.frames(), flops_per_value * values,
          (plan.params.pairs ? 8 : 4) * values +
              (plan.params.pairs && !plan.params.mask ? 16 : 8) * values};
}

template <class T>
HpssAudio::Plan HpssAudio::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto win_length = static_cast<Index>(in.window.size());
  Plan plan{plan_frames(params, in.y, win_length), {}, params};
  const View<const std::complex<T>> spectrum{nullptr, plan.forward.batch, plan.forward.n_frames,
                                             plan.forward.n_bins};
  plan.inverse =
      Istft::plan<T>({params.n_fft, params.hop_length, params.center, plan.forward.n_samples},
                     {spectrum, in.window});
  return plan;
}

namespace {

// Computes samples [begin, end) of the padded signal. Whole results begin at its sample `start`.
template <class T>
struct AudioPart {
  const HpssAudio::Plan& plan;
  const dsp::FrameTransform<double>& forward;
  const dsp::FrameTransform<T>& inverse;
  const WindowSum<T>& sums;

  void run(const dsp::FrameSource<T>& source, Index begin, Index end, T* harmonic,
           T* percussive) const;
};

template <class T>
void AudioPart<T>::run(const dsp::FrameSource<T>& source, Index begin, Index end, T* harmonic,
                       T* percussive) const {
  const Index n_fft = plan.inverse.params.n_fft, hop = plan.inverse.params.hop_length;
  const Index n_bins = plan.forward.n_bins;
  const Lent<T> mask_h(n_bins), mask_p(n_bins);
  dsp::CrossMedians<T> medians(plan.forward.n_frames, n_bins, plan.hpss.kernel_harmonic,
                               plan.hpss.kernel_percussive, true);
  // The masked spectra of a block. They become samples in the same way as in istft.
  const Lent<std::complex<T>> masked_h(block_rows * n_bins), masked_p(block_rows * n_bins);

  std::fill(harmonic, harmonic + (end - begin), T(0));
  std::fill(percussive, percussive + (end - begin), T(0));
  const Index first_frame = begin < n_fft ? 0 : (begin - n_fft) / hop + 1;
  const Index last_frame = std::min(plan.inverse.n_frames, (end - 1) / hop + 1);
  for (Index first = first_frame; first < last_frame; first += block_rows) {
    check_interrupt();  // a part is a large share of the signal
    const Index count = std::min(block_rows, last_frame - first);
    medians.advance(first, count, [&](Index frame, T* magnitudes, T* pairs) {
      const Stage transform(stage::transform);
      forward.spectra(source, frame, 1, reinterpret_cast<std::complex<T>*>(pairs));
      dsp::pair_magnitudes(pairs, n_bins, magnitudes);
    });
    const Stage stage("masks+inverse FFT");
    for (Index i = 0; i < count; ++i) {
      dsp::hpss_masks<T>(plan.hpss, medians.down_rows(i), medians.across_columns(i), n_bins, mask_h,
                         mask_p);
      const auto apply = [&](const T* mask, std::complex<T>* masked) {
        dsp::scale_pairs(medians.pairs(i), mask, n_bins, reinterpret_cast<T*>(masked + i * n_bins));
      };
      apply(mask_h, masked_h);
      apply(mask_p, masked_p);
    }
    inverse.overlap_add(masked_h.data(), count, first * hop - begin, hop, end - begin, harmonic);
    inverse.overlap_add(masked_p.data(), count, first * hop - begin, hop, end - begin, percussive);
  }
  sums.divide(begin, end, harmonic);
  sums.divide(begin, end, percussive);
}

}  // namespace

template <class T>
void HpssAudio::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index n_fft = plan.inverse.params.n_fft, hop = plan.inverse.params.hop_length;
  const Index start = plan.inverse.start(), n_samples = plan.inverse.n_samples;
  const auto forward = dsp::frame_transform<double>(n_fft, in.window);
  const auto inverse = dsp::frame_transform<T>(n_fft, in.window);
  const WindowSum<T> sums(in.window, n_fft, hop, plan.inverse.sum_frames);
  const AudioPart<T> part{plan, *forward, *inverse, sums};
  // Each part transforms the frames around it once more, so no more than two parts a thread. Every
  // sample adds its frames in order, so the result does not depend on the parts.
  const Index around = plan.hpss.kernel_harmonic + n_fft / hop;
  const Index grain = std::max(4 * around * hop, ceil_div(n_samples, 2 * thread_count()));
  const Index parts = ceil_div(n_samples, grain);
  parallel_for(plan.inverse.batch * parts, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index b = i / parts, at = i % parts * grain;
      part.run(plan.forward.source(in.y, b), at + start, std::min(at + grain, n_samples) + start,
               out.harmonic.row(b) + at, out.percussive.row(b) + at);
    }
  });
}

Cost HpssAudio::cost(const Plan& plan) {
  const Cost forward = Stft::cost(plan.forward), inverse = Istft::cost(plan.inverse);
  const auto values = static_cast<double>(forward.frames * plan.forward.n_bins);
  return {forward.frames, forward.flops + 2 * inverse.flops + flops_per_value * values,
          12 * static_cast<double>(plan.forward.batch * plan.forward.n_samples)};
}

METALMOM_INSTANTIATE_CHECK(Hpss);
METALMOM_INSTANTIATE_OP(Hpss);
METALMOM_INSTANTIATE_OP(HpssAudio);

}  // namespace metalmom::ops
