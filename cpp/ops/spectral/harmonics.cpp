#include "ops/spectral/harmonics.hpp"

#include <algorithm>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp/simd/tonal_kernels.hpp"
#include "ops/core/blocks.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

constexpr Index lanes = dsp::block_frames;

template <class T>
std::vector<dsp::simd::RowBetween> rows_of(const HarmonicRows::In<T>& in) {
  std::vector<dsp::simd::RowBetween> rows;
  for (std::size_t i = 0; i < in.low.size(); ++i)
    rows.push_back({static_cast<Index>(in.low[i]), static_cast<Index>(in.high[i]), in.share[i]});
  return rows;
}

// Copies a block of frames into lane layout; lanes from `count` on are zero.
template <class T>
void bring(const HarmonicRows::Plan& plan, const Spectrogram<const T>& S, const Block& block,
           T* out) {
  if (S.frames_first) {
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

// Rows that are interpolated and written together.
constexpr Index most_rows = 16;

// Blocks that are interpolated together. Each row of the result then gets a kilobyte at a time,
// which is twice as fast as 128 bytes a row, each in another page. As many as fit the cache.
constexpr Index most_blocks = 8, cached_bytes = Index{1} << 19;

struct Span {
  Index first, count;
};

// Runs of neighbouring rows to write: all rows, or without a fill only those that lie between two
// bins.
std::vector<Span> written_spans(const std::vector<dsp::simd::RowBetween>& rows,
                                std::span<const double> fill) {
  std::vector<Span> spans;
  for (Index r = 0; r < std::ssize(rows); ++r) {
    if (fill.empty() && rows[static_cast<std::size_t>(r)].low < 0) continue;
    const bool follows = !spans.empty() && spans.back().first + spans.back().count == r;
    if (follows && spans.back().count < most_rows)
      ++spans.back().count;
    else
      spans.push_back({r, 1});
  }
  return spans;
}

struct Interpolation {
  const std::vector<dsp::simd::RowBetween>& rows;
  std::vector<Span> spans;
  double fill;
  Index n_together;  // blocks
};

// Interpolates the rows of the blocks from `begin` on, of one signal, as many as fit in `frames`.
// Returns the first block behind them.
template <class T>
Index interpolate(const HarmonicRows::Plan& plan, const Spectrogram<const T>& S,
                  const Interpolation& by, Index begin, Index end, const Lent<T>& frames,
                  const HarmonicRows::Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  const Index block_size = plan.n_bins * lanes, b = blocks.at(begin).b;
  end = std::min(end, begin + by.n_together);
  Index behind = begin;
  for (; behind < end && blocks.at(behind).b == b; ++behind)
    bring(plan, S, blocks.at(behind), frames.data() + (behind - begin) * block_size);
  for (const Span& span : by.spans)
    for (Index i = begin; i < behind; ++i) {
      const Block block = blocks.at(i);
      dsp::simd::harmonic_kernels<T>().between(
          by.rows.data() + span.first, span.count, frames.data() + (i - begin) * block_size,
          by.fill, out.rows.row(b, span.first) + block.first, plan.n_frames, block.count);
    }
  return behind;
}

}  // namespace

template <class T>
HarmonicRows::Plan HarmonicRows::plan(const Params& params, const In<T>& in) {
  check(params);
  const Index n_bins = in.S.n_bins(), n_given = std::ssize(in.low);
  const Index n_harmonics = std::ssize(in.weights);
  require(in.high.size() == in.low.size() && in.share.size() == in.low.size(), "low.size", n_given,
          "that of high and of share");
  require(n_harmonics == 0 || n_given == n_harmonics * n_bins, "weights.size", n_harmonics,
          "the number of harmonics");
  require(in.fill.size() == 1 || (in.fill.empty() && n_harmonics == 0), "fill.size",
          std::ssize(in.fill), "1, or 0 of rows that are not summed");
  for (std::size_t i = 0; i < in.low.size(); ++i) {
    const double last = static_cast<double>(n_bins - 1);
    require(in.low[i] >= -1 && in.low[i] <= last, "low", in.low[i], "a bin, or -1");
    require(in.high[i] >= 0 && in.high[i] <= last, "high", in.high[i], "a bin");
  }
  return {params, in.S.batch, in.S.n_frames(), n_bins, n_harmonics ? n_bins : n_given, n_harmonics};
}

template <class T>
void HarmonicRows::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto rows = rows_of(in);
  const Blocks blocks{plan.batch, plan.n_frames};
  if (!plan.n_harmonics) {
    const Index block_bytes = plan.n_bins * lanes * Index{sizeof(T)};
    const Interpolation each{rows, written_spans(rows, in.fill), in.fill.empty() ? 0 : in.fill[0],
                             std::clamp<Index>(cached_bytes / block_bytes, 1, most_blocks)};
    if (in.fill.empty())
      ask_for_huge_pages(out.rows.data, static_cast<std::size_t>(out.rows.size()) * sizeof(double));
    parallel_for(blocks.total(), block_grain, [&](Index begin, Index end) {
      const Lent<T> frames(each.n_together * plan.n_bins * lanes);
      for (Index i = begin; i < end;) i = interpolate(plan, in.S, each, i, end, frames, out);
    });
    return;
  }
  parallel_for(blocks.total(), block_grain, [&](Index begin, Index end) {
    const Lent<T> block_lanes(plan.n_bins * lanes);
    for (Index i = begin; i < end; ++i) {
      const Block block = blocks.at(i);
      bring(plan, in.S, block, block_lanes.data());
      dsp::simd::harmonic_kernels<T>().sums(rows.data(), plan.n_bins, in.weights.data(),
                                            plan.n_harmonics, block_lanes, plan.params.peaks_only,
                                            in.fill[0], out.rows.row(block.b) + block.first,
                                            plan.n_frames, block.count);
    }
  });
}

Cost HarmonicRows::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto rows = static_cast<double>(plan.n_rows * std::max<Index>(plan.n_harmonics, 1));
  return {plan.batch * plan.n_frames, 4 * frames * rows, 8 * frames * rows};
}

METALMOM_INSTANTIATE_OP(HarmonicRows);

}  // namespace metalmom::ops
