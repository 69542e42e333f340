#include "ops/segment/links.hpp"

#include <algorithm>
#include <limits>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/interrupt.hpp"
#include "base/workers.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

// For frames of many features all distances are computed first, those of each pair once. That takes
// a whole matrix, so with many frames, and with few features, each row's distances are computed
// when needed.
bool measures_pairs(const Links::Plan& plan, bool same) {
  constexpr Index least_features = 64, largest_matrix = Index(1) << 23;
  return same && plan.n_features >= least_features && plan.n * plan.n <= largest_matrix;
}

Buffer<double> pair_distances(dsp::Metric metric, const dsp::Frames& frames,
                              const dsp::PackedFrames& packed) {
  constexpr Index tile = 64;
  static_assert(tile % dsp::PackedFrames::lanes == 0);
  Buffer<double> matrix(static_cast<std::size_t>(frames.n * packed.stride()));
  parallel_for(ceil_div(frames.n, tile), 1, [&](Index first, Index last) {
    for (Index i = first * tile; i < std::min(last * tile, frames.n); i += tile) {
      check_interrupt();
      packed.symmetric_distances(metric, frames, i, std::min(tile, frames.n - i), matrix.data());
    }
  });
  return matrix;
}

}  // namespace

template <class T>
Links::Plan Links::plan(const Params& params, const In<T>& in) {
  check(params);
  Plan plan{params, in.data.rows, in.reference.data ? in.reference.rows : in.data.rows,
            in.data.cols, 0};
  if (in.distances.data) {
    plan.n = in.distances.rows;
    plan.n_others = in.distances.cols;
  } else {
    require(in.data.data != nullptr, "data", "None", "given, or distances");
    require(!in.reference.data || in.reference.cols == in.data.cols, "data_ref.shape[-2]",
            in.reference.cols, "the number of features of data");
  }
  require(plan.n >= 1 && plan.n_others >= 1 &&
              plan.n_others <= std::numeric_limits<std::int32_t>::max(),
          "data.shape[-1]", plan.n_others, "at least 1 and below 2**31");
  plan.room = dsp::most_links(params, plan.n_others);
  return plan;
}

template <class T>
void Links::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index room = plan.room;
  double* const lengths = plan.params.nearest ? out.lengths.data : nullptr;
  Index* const counts = out.starts.data + 1;
  const auto length_row = [&](Index row) { return lengths ? lengths + row * room : nullptr; };
  const auto link_rows = [&](const double* distances, Index stride) {
    parallel_for(plan.n, 16, [&](Index first, Index last) {
      for (Index row = first; row < last; ++row)
        counts[row] =
            dsp::links_of(plan.params, plan.params.first_row + row, distances + row * stride,
                          plan.n_others, out.indices.data + row * room, length_row(row));
    });
  };
  if (in.distances.data) {
    link_rows(in.distances.data, plan.n_others);
  } else if (measures_pairs(plan, !in.reference.data)) {
    const dsp::Frames frames{in.data.data, plan.n, plan.n_features};
    const dsp::PackedFrames packed(frames, true);
    const Buffer<double> matrix = pair_distances(plan.params.metric, frames, packed);
    link_rows(matrix.data(), packed.stride());
  } else {
    const dsp::Frames frames{in.data.data, plan.n, plan.n_features};
    const dsp::Frames others =
        in.reference.data ? dsp::Frames{in.reference.data, plan.n_others, plan.n_features} : frames;
    const dsp::PackedFrames packed(others, true);
    parallel_for(plan.n, 16, [&](Index first, Index last) {
      dsp::find_links(plan.params, plan.params.metric, frames.slice(first, last - first), first,
                      packed, out.indices.data + first * room, length_row(first), counts + first);
    });
  }
  // Moves the rows together: there was room for the most links in each of them.
  Index end = out.starts.data[0] = 0;
  for (Index row = 0; row < plan.n; ++row) {
    const Index count = counts[row];
    std::copy_n(out.indices.data + row * room, count, out.indices.data + end);
    if (lengths) std::copy_n(lengths + row * room, count, lengths + end);
    end += count;
    counts[row] = end;
  }
}

Cost Links::cost(const Plan& plan) {
  const auto pairs = static_cast<double>(plan.n) * static_cast<double>(plan.n_others);
  return {plan.n, pairs * static_cast<double>(3 * plan.n_features + 2), pairs};
}

template <class T>
MutualLinks::Plan MutualLinks::plan(const Params&, const In<T>& in) {
  const Plan plan{in.starts.cols - 1, in.indices.cols};
  bool ascending = plan.n >= 1 && in.starts.data[0] == 0 && in.starts.data[plan.n] == plan.n_links;
  for (Index i = 0; ascending && i < plan.n; ++i)
    ascending = in.starts.data[i] <= in.starts.data[i + 1];
  require(ascending, "starts", "given", "ascending, from 0 to the number of links");
  for (const std::int32_t index : in.indices.flat())
    require(index >= 0 && index < plan.n, "indices", index, "the number of a frame");
  return plan;
}

template <class T>
void MutualLinks::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto row = [&](Index i) {
    return std::span(in.indices.data + in.starts.data[i], in.indices.data + in.starts.data[i + 1]);
  };
  parallel_for(plan.n, 64, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (Index link = in.starts.data[i]; link < in.starts.data[i + 1]; ++link) {
        const auto back = row(in.indices.data[link]);
        out.mutual.data[link] =
            std::binary_search(back.begin(), back.end(), static_cast<std::int32_t>(i));
      }
  });
}

Cost MutualLinks::cost(const Plan& plan) {
  return {plan.n, 20.0 * static_cast<double>(plan.n_links),
          5.0 * static_cast<double>(plan.n_links)};
}

METALMOM_INSTANTIATE_OP(Links);
METALMOM_INSTANTIATE_OP(MutualLinks);

}  // namespace metalmom::ops
