#include "ops/spectral/cepstrum.hpp"

#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "base/cache.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/power_blocks.hpp"

namespace metalmom::ops {

std::shared_ptr<const dsp::Basis> dct_basis(const DctParams& params, Index n_bands) {
  check(params);
  require(n_bands >= (params.dct_type == 1 ? 2 : 1), "n_mels", n_bands,
          params.dct_type == 1 ? "at least 2 for dct_type=1" : "at least 1");
  using Key = std::tuple<Index, Index, int, double, Index>;
  static Cache<Key, dsp::Basis> cache(32);
  const Index rows = std::min(params.n_mfcc, n_bands);
  const Key key{rows, params.dct_type, static_cast<int>(params.norm), params.lifter, n_bands};
  return cache.get(key, [&] {
    const auto matrix =
        dsp::dct_matrix(static_cast<int>(params.dct_type), params.norm, n_bands, rows);
    for (Index n = 0; params.lifter > 0 && n < rows; ++n) {
      const double angle = std::numbers::pi * static_cast<double>(n + 1) / params.lifter;
      const double weight = 1 + params.lifter / 2 * std::sin(angle);
      for (Index band = 0; band < n_bands; ++band) matrix[n * n_bands + band] *= weight;
    }
    return std::make_shared<const dsp::Basis>(matrix.data(), rows, n_bands);
  });
}

template <class T>
void Cepstrum::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto& frames = plan.frames;
  const auto transform = dsp::frame_transform<T>(frames.params.n_fft, in.window);
  const Blocks blocks{frames.batch, frames.n_frames};
  const Index block_size = plan.n_bands * dsp::block_frames;
  const dsp::DecibelScale<T> scale{static_cast<T>(plan.amin), T(0), false};
  // Levels of a group of signals wait in lane layout until their maxima are known. Groups bound
  // that memory; where they end changes no result.
  constexpr Index group_values = Index(1) << 22;
  const Index per_signal = blocks.per_signal();
  const Index group =
      std::max<Index>(1, group_values / std::max<Index>(per_signal * block_size, 1));
  static thread_local Scratch<T> level_scratch, maximum_scratch;
  for (Index b0 = 0; b0 < frames.batch; b0 += group) {
    const Index b1 = std::min(b0 + group, frames.batch);
    const Index first_block = b0 * per_signal, n_blocks = (b1 - b0) * per_signal;
    T* const levels = level_scratch.get(static_cast<std::size_t>(n_blocks * block_size));
    T* const maxima = maximum_scratch.get(static_cast<std::size_t>(n_blocks));
    parallel_for(n_blocks, block_grain, [&](Index first, Index last) {
      Index i = first;
      const auto to_levels = [&](const Blocks::Block& block, const T* lanes) {
        const Stage stage(stage::bands);
        T* const bands = levels + i * block_size;
        // Lanes without a frame repeat the first one, so that they cannot be the maximum.
        dsp::apply_bands(*in.basis, lanes, dsp::block_frames, bands, dsp::block_frames);
        for (Index band = 0; band < plan.n_bands && block.count < dsp::block_frames; ++band)
          std::fill(bands + band * dsp::block_frames + block.count,
                    bands + (band + 1) * dsp::block_frames, bands[band * dsp::block_frames]);
        maxima[i++] = dsp::to_decibel(bands, block_size, scale, bands);
      };
      power_blocks(frames, in.y, *transform, static_cast<float>(plan.power), first_block + first,
                   first_block + last, to_levels);
    });
    parallel_for(n_blocks, block_grain, [&](Index first, Index last) {
      const Stage stage(stage::store);
      for (Index i = first; i < last; ++i) {
        const auto block = blocks.at(first_block + i);
        const T* signal = maxima + (block.b - b0) * per_signal;
        const T floor = dsp::largest_of(signal, per_signal) - static_cast<T>(plan.top_db);
        T* const bands = levels + i * block_size;
        dsp::clamp_below(bands, block_size, floor);
        dsp::apply_bands(*plan.dct, static_cast<const T*>(bands), block.count,
                         out.cepstra.row(block.b) + block.first, frames.n_frames);
      }
    });
  }
}

template void Cepstrum::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void Cepstrum::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost Cepstrum::cost(const Plan& plan) {
  Cost cost = band_cost(plan);
  const auto frames = static_cast<double>(cost.frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const auto rows = static_cast<double>(plan.dct->n_bands());
  cost.flops += frames * bands * (20 + 2 * rows);  // a logarithm is about 20
  cost.bytes += frames * 4 * (rows - bands);
  return cost;
}

template <class T>
void Dct::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    T* lanes = lane_scratch<T>(plan.n_bands);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      dsp::load_lanes(in.S.row(block.b) + block.first, plan.n_bands, plan.n_frames, Index(1),
                      block.count, lanes);
      dsp::apply_bands(*plan.dct, static_cast<const T*>(lanes), block.count,
                       out.cepstra.row(block.b) + block.first, plan.n_frames);
    }
  });
}

template void Dct::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void Dct::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost Dct::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const auto rows = static_cast<double>(plan.dct->n_bands());
  return {plan.batch * plan.n_frames, frames * 2 * bands * rows, frames * 4 * (bands + rows)};
}

static_assert(Operation<Cepstrum> && Operation<Dct>);

}  // namespace metalmom::ops
