#include "ops/core/reassign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp/simd/tonal_kernels.hpp"
#include "ops/core/blocks.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Reassigned frequencies: the bin's own, less a part of the ratio with the spectrum of the window's
// slope.
dsp::simd::Reassignment frequencies_of(const Reassign::Plan& plan) {
  const double sr = plan.params.sr;
  return {.first = 0,
          .spacing = 1.0 / (static_cast<double>(plan.params.n_fft) * (1.0 / sr)),
          .factor = -0.5 * sr / std::numbers::pi,
          .imaginary = true,
          .least_power = plan.params.ref_power,
          .fill = plan.params.fill_nan,
          .low = plan.params.clip ? 0 : -infinity,
          .high = plan.params.clip ? sr / 2 : infinity};
}

// A power of two that brings the largest weight of a window to about 1: spectra with it then stay
// in the range in which those with the window itself are.
double scale_of(std::span<const double> window) {
  double largest = 0;
  for (const double weight : window) largest = std::max(largest, std::abs(weight));
  return largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
}

// Reassigned times: the frame's own, plus a part of the ratio with the spectrum of the
// time-weighted window, which is multiplied by `scale`.
dsp::simd::Reassignment times_of(const Reassign::Plan& plan, Index frame, double scale) {
  const auto samples = static_cast<double>(frame * plan.params.hop_length);
  return {.first = plan.params.start + samples / plan.params.sr,
          .spacing = 0,
          .factor = 1 / plan.params.sr / scale,
          .imaginary = false,
          .least_power = plan.params.ref_power,
          .fill = plan.params.fill_nan,
          .low = plan.params.clip ? 0 : -infinity,
          .high = plan.params.clip ? plan.params.duration : infinity};
}

template <class T>
void reassign(const std::complex<T>* spectrum, const std::complex<T>* weighted, Index n,
              const dsp::simd::Reassignment& by, double* out) {
  dsp::simd::harmonic_kernels<T>().reassign(reinterpret_cast<const T*>(spectrum),
                                            reinterpret_cast<const T*>(weighted), n, by, out);
}

}  // namespace

template <class T>
Reassign::Plan Reassign::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto frames = plan_frames(params, in.y, static_cast<Index>(in.window.size()));
  const bool given = in.S.data != nullptr;
  require(!given || (in.S.batch == frames.batch && in.S.rows == frames.n_frames &&
                     in.S.cols == frames.n_bins),
          "S.size", in.S.size(), "that of the spectrogram of y");
  return {frames, params, !in.slope.empty(), !in.weighted.empty()};
}

template <class T>
void Reassign::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  // Transforms in double, as in stft, since ratios of near-empty bins are asked for too.
  const auto transform = [&](std::span<const double> window) {
    return window.empty() ? nullptr : dsp::frame_transform<double>(plan.params.n_fft, window);
  };
  const auto plain = transform(in.S.data ? std::span<const double>() : in.window);
  const double scale = scale_of(in.weighted);
  std::vector<double> weights(in.weighted.begin(), in.weighted.end());
  for (double& weight : weights) weight *= scale;
  const auto sloped = transform(in.slope), weighted = transform(weights);
  const Index n_bins = plan.frames.n_bins;
  const Blocks blocks{plan.frames.batch, plan.frames.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index begin, Index end) {
    const Lent<std::complex<T>> spectra(n_bins * dsp::block_frames);
    const Lent<std::complex<T>> others(n_bins * dsp::block_frames);
    for (Index i = begin; i < end; ++i) {
      const auto [b, first, count, _] = blocks.at(i);
      const auto source = plan.frames.source(in.y, b);
      const std::complex<T>* spectrum = spectra;
      if (in.S.data)
        spectrum = in.S.row(b, first);
      else
        plain->spectra(source, first, count, spectra.data());
      dsp::simd::median_kernels<T>().magnitudes(reinterpret_cast<const T*>(spectrum),
                                                count * n_bins, out.magnitudes.row(b, first));
      const auto move = [&](const auto& other, const View<double>& target, auto&& by) {
        if (!other) return;
        other->spectra(source, first, count, others.data());
        for (Index k = 0; k < count; ++k)
          reassign<T>(spectrum + k * n_bins, others.data() + k * n_bins, n_bins, by(first + k),
                      target.row(b, first + k));
      };
      move(sloped, out.frequencies, [&](Index) { return frequencies_of(plan); });
      move(weighted, out.times, [&](Index frame) { return times_of(plan, frame, scale); });
    }
  });
}

Cost Reassign::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.frames.total_frames());
  const auto bins = static_cast<double>(plan.frames.n_bins);
  return {plan.frames.total_frames(), frames * (3 * fft_flops(plan.params.n_fft) + 30 * bins),
          24 * frames * bins};
}

METALMOM_INSTANTIATE_OP(Reassign);

}  // namespace metalmom::ops
