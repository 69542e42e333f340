#include "ops/rhythm/onset_strength.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/workers.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/power_blocks.hpp"

namespace metalmom::ops {

FluxPlan plan_flux(const FluxParams& params, Index batch, Index n_bands, Index n_frames) {
  check(params);
  require(n_bands >= 1, "S.shape[-2]", n_bands, "at least 1");
  FluxPlan plan{params, batch, n_bands, n_frames, std::max<Index>(n_frames - params.lag, 0)};
  plan.n_out = params.trim ? n_frames : plan.n_differences + params.shift;
  return plan;
}

Cost flux_cost(const FluxPlan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const bool median = plan.params.aggregate == dsp::FluxAggregate::median;
  const auto filter = static_cast<double>(plan.params.max_size - 1);
  return {plan.batch * plan.n_frames, frames * bands * (median ? 70 : 3 + filter),
          frames * 4 * (bands + static_cast<double>(plan.rows_out()))};
}

namespace {

// Flux blocks of one signal: n_out frames in steps of flux_frames.
Index flux_blocks(const FluxPlan& plan) {
  return (plan.n_out + dsp::flux_frames - 1) / dsp::flux_frames;
}

// Writes the frames [first, first + flux_frames) of a signal's result, rows n_out apart.
template <class T>
void write_flux(const FluxPlan& plan, const dsp::FluxSource<T>& source, Index first, T* out) {
  const Index last = std::min(first + dsp::flux_frames, plan.n_out);
  const Index begin = std::clamp(plan.params.shift, first, last);
  const Index end = std::clamp(plan.params.shift + plan.n_differences, begin, last);
  for (Index r = 0; r < plan.rows_out(); ++r) {
    std::fill(out + r * plan.n_out + first, out + r * plan.n_out + begin, T(0));
    std::fill(out + r * plan.n_out + end, out + r * plan.n_out + last, T(0));
  }
  if (begin < end)
    dsp::flux_block(source, begin - plan.params.shift, end - begin, plan.params.aggregate,
                    out + begin, plan.n_out);
}

}  // namespace

template <class T>
FluxPlan SpectralFlux::plan(const Params& params, const In<T>& in) {
  require(in.ref.batch == in.S.batch && in.ref.rows == in.S.rows && in.ref.cols == in.S.cols,
          "ref.size", in.ref.size(), "S.size, with the same shape");
  return plan_flux(params, in.S.batch, in.S.rows, in.S.cols);
}

template FluxPlan SpectralFlux::plan(const Params&, const In<float>&);
template FluxPlan SpectralFlux::plan(const Params&, const In<double>&);

template <class T>
void SpectralFlux::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index per_signal = flux_blocks(plan);
  parallel_for(plan.batch * per_signal, 4, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index b = i / per_signal;
      const dsp::FluxSource<T> source{in.S.row(b),   in.ref.row(b),   plan.n_bands,
                                      plan.n_frames, plan.params.lag, plan.params.max_size};
      write_flux(plan, source, i % per_signal * dsp::flux_frames, out.flux.row(b));
    }
  });
}

template void SpectralFlux::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void SpectralFlux::run_cpu(const Plan&, const In<double>&, const Out<double>&);

template <class T>
void OnsetStrength::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto& frames = plan.frames;
  const auto transform = dsp::frame_transform<T>(frames.params.n_fft, in.window);
  const Blocks blocks{frames.batch, frames.n_frames};
  const dsp::DecibelScale<T> scale{static_cast<T>(plan.amin), T(0), false};
  // Rows of whole blocks: the last one's unused lanes lie beyond the frames of their band.
  const Index per_signal = blocks.per_signal(), stride = per_signal * dsp::block_frames;
  const Index signal_size = plan.n_bands * stride;
  // Levels of a group of signals wait until their maxima are known. Groups bound that memory; where
  // they end changes no result.
  constexpr Index group_values = Index(1) << 22;
  const Index group = std::max<Index>(1, group_values / std::max<Index>(signal_size, 1));
  static thread_local Scratch<T> level_scratch, maximum_scratch;
  for (Index b0 = 0; b0 < frames.batch; b0 += group) {
    const Index n_signals = std::min(group, frames.batch - b0);
    T* const levels = level_scratch.get(static_cast<std::size_t>(n_signals * signal_size));
    T* const maxima = maximum_scratch.get(static_cast<std::size_t>(n_signals * per_signal));
    parallel_for(n_signals * per_signal, block_grain, [&](Index first, Index last) {
      T* const bands = lane_scratch<T, 1>(plan.n_bands);
      Index i = first;
      const auto to_levels = [&](const Blocks::Block& block, const T* lanes) {
        const Stage stage(stage::bands);
        dsp::apply_bands(*in.basis, lanes, dsp::block_frames, bands, dsp::block_frames);
        // Lanes without a frame repeat the first one, so that they cannot be the maximum.
        for (Index f = 0; f < plan.n_bands && block.count < dsp::block_frames; ++f)
          std::fill(bands + f * dsp::block_frames + block.count,
                    bands + (f + 1) * dsp::block_frames, bands[f * dsp::block_frames]);
        maxima[i++] = dsp::to_decibel(bands, plan.n_bands * dsp::block_frames, scale, bands);
        T* const rows = levels + (block.b - b0) * signal_size + block.first;
        for (Index f = 0; f < plan.n_bands; ++f)
          std::copy_n(bands + f * dsp::block_frames, dsp::block_frames, rows + f * stride);
      };
      power_blocks(frames, in.y, *transform, static_cast<float>(plan.power),
                   b0 * per_signal + first, b0 * per_signal + last, to_levels);
    });
    const Index n_flux = flux_blocks(plan.flux);
    parallel_for(n_signals * n_flux, 4, [&](Index first, Index last) {
      const Stage stage(stage::flux);
      for (Index i = first; i < last; ++i) {
        const Index b = i / n_flux;
        const T* rows = levels + b * signal_size;
        const T* of_signal = maxima + b * per_signal;
        const T floor =
            *std::max_element(of_signal, of_signal + per_signal) - static_cast<T>(plan.top_db);
        const auto& params = plan.flux.params;
        const dsp::FluxSource<T> source{rows,       rows,            plan.n_bands, stride,
                                        params.lag, params.max_size, floor};
        write_flux(plan.flux, source, i % n_flux * dsp::flux_frames, out.flux.row(b0 + b));
      }
    });
  }
}

template void OnsetStrength::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void OnsetStrength::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost OnsetStrength::cost(const Plan& plan) {
  Cost cost = band_cost(plan);
  const Cost flux = flux_cost(plan.flux);
  const auto levels = static_cast<double>(cost.frames * plan.n_bands);
  cost.flops += flux.flops + 20 * levels;  // a logarithm is about 20
  cost.bytes += flux.bytes - 4 * levels;
  return cost;
}

template <class T>
void BlockDc::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 64, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) dsp::block_dc(in.x.row(b), plan.n, out.y.row(b));
  });
}

template void BlockDc::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void BlockDc::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost BlockDc::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n);
  return {plan.batch * plan.n, 3 * values, 12 * values};
}

static_assert(Operation<SpectralFlux> && Operation<OnsetStrength> && Operation<BlockDc>);

}  // namespace metalmom::ops
