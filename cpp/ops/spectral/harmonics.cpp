#include "ops/spectral/harmonics.hpp"

#include <algorithm>
#include <vector>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp/simd/tonal_kernels.hpp"
#include "ops/core/blocks.hpp"

namespace metalmom::ops {
namespace {

constexpr Index lanes = dsp::block_frames;

template <class T>
std::vector<dsp::simd::RowBetween> rows_of(const HarmonicRows::In<T>& in) {
  std::vector<dsp::simd::RowBetween> rows;
  for (std::size_t i = 0; i < in.low.size(); ++i)
    rows.push_back(
        {static_cast<Index>(in.low[i]), static_cast<Index>(in.high[i]), in.share[i]});
  return rows;
}

// A block of frames in lane layout; lanes from `count` on are zero.
template <class T>
void bring(const HarmonicRows::Plan& plan, const View<const T>& S, const Block& block, T* out) {
  if (plan.params.swapped) {
    dsp::simd::lane_kernels<T>().from_rows(S.row(block.b, block.first), plan.n_bins, block.count,
                                           plan.n_bins, out);
    return;
  }
  for (Index bin = 0; bin < plan.n_bins; ++bin) {
    T* const row = out + bin * lanes;
    std::copy_n(S.row(block.b, bin) + block.first, block.count, row);
    std::fill(row + block.count, row + lanes, T(0));
  }
}

}  // namespace

template <class T>
HarmonicRows::Plan HarmonicRows::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto& S = in.S;
  const Index n_bins = params.swapped ? S.cols : S.rows, n_given = std::ssize(in.low);
  const Index n_harmonics = std::ssize(in.weights);
  require(in.high.size() == in.low.size() && in.share.size() == in.low.size(), "low.size", n_given,
          "that of high and of share");
  require(n_harmonics == 0 || n_given == n_harmonics * n_bins, "weights.size", n_harmonics,
          "the number of harmonics");
  require(in.fill.size() == 1, "fill.size", std::ssize(in.fill), "1");
  for (std::size_t i = 0; i < in.low.size(); ++i) {
    const double last = static_cast<double>(n_bins - 1);
    require(in.low[i] >= -1 && in.low[i] <= last, "low", in.low[i], "a bin, or -1");
    require(in.high[i] >= 0 && in.high[i] <= last, "high", in.high[i], "a bin");
  }
  return {params, S.batch,     params.swapped ? S.rows : S.cols, n_bins,
          n_harmonics ? n_bins : n_given, n_harmonics};
}

template HarmonicRows::Plan HarmonicRows::plan(const Params&, const In<float>&);
template HarmonicRows::Plan HarmonicRows::plan(const Params&, const In<double>&);

template <class T>
void HarmonicRows::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto& kernels = dsp::simd::harmonic_kernels<T>();
  const auto rows = rows_of(in);
  const double fill = in.fill[0];
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index begin, Index end) {
    const Lent<T> block_lanes(plan.n_bins * lanes);
    for (Index i = begin; i < end; ++i) {
      const Block block = blocks.at(i);
      bring(plan, in.S, block, block_lanes.data());
      double* const to = out.rows.row(block.b) + block.first;
      if (plan.n_harmonics)
        kernels.sums(rows.data(), plan.n_bins, in.weights.data(), plan.n_harmonics, block_lanes,
                     plan.params.peaks_only, fill, to, plan.n_frames, block.count);
      else
        kernels.between(rows.data(), plan.n_rows, block_lanes, fill, to, plan.n_frames,
                        block.count);
    }
  });
}

template void HarmonicRows::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void HarmonicRows::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost HarmonicRows::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto rows = static_cast<double>(plan.n_rows * std::max<Index>(plan.n_harmonics, 1));
  return {plan.batch * plan.n_frames, 4 * frames * rows, 8 * frames * rows};
}

static_assert(Operation<HarmonicRows>);

}  // namespace metalmom::ops
