#include "ops/segment/link_means.hpp"

#include <algorithm>
#include <numeric>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "dsp/simd/select.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

// Values of every frame that are packed and averaged at a time: so few that those of a few thousand
// frames stay in cache, however long a frame is.
constexpr Index values_at_once = 128;

template <class T>
const auto& kernels_for() {
  if constexpr (std::is_same_v<T, float>)
    return dsp::simd::kernels().float_structure;
  else
    return dsp::simd::kernels().double_structure;
}

}  // namespace

template <class T>
LinkMeans::Plan LinkMeans::plan(const Params&, const In<T>& in) {
  const Plan plan{in.frames.rows, in.frames.cols, in.indices.cols};
  require(in.starts.cols == plan.n + 1, "rec.shape[0]", in.starts.cols - 1,
          "the number of frames, " + std::to_string(plan.n));
  require(!in.weights.data || in.weights.cols == plan.n_links, "weights.size", in.weights.cols,
          "the number of links");
  bool ascending = in.starts.data[0] == 0 && in.starts.data[plan.n] == plan.n_links;
  for (Index i = 0; ascending && i < plan.n; ++i)
    ascending = in.starts.data[i] <= in.starts.data[i + 1];
  require(ascending, "starts", "given", "ascending, from 0 to the number of links");
  for (const std::int32_t index : in.indices.flat())
    require(index >= 0 && index < plan.n, "rec", index, "the number of a frame");
  return plan;
}

template <class T>
void LinkMeans::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  // The weight of each link, divided by the sum of its frame's weights.
  const Buffer<T> shares(static_cast<std::size_t>(plan.n_links));
  for (Index i = 0; i < plan.n; ++i) {
    const Index first = in.starts.data[i], last = in.starts.data[i + 1];
    const double* const weights = in.weights.data;
    const double total = weights ? std::accumulate(weights + first, weights + last, 0.0)
                                 : static_cast<double>(last - first);
    require(first == last || total != 0, "rec", total, "of weights that do not sum to 0");
    for (Index link = first; link < last; ++link)
      shares.data()[link] = static_cast<T>((weights ? weights[link] : 1.0) / total);
  }
  const Index n_parts = ceil_div(plan.width, values_at_once);
  parallel_for(n_parts, 1, [&](Index first_part, Index last_part) {
    const Buffer<T> packed(static_cast<std::size_t>(plan.n * values_at_once));
    for (Index part = first_part; part < last_part; ++part) {
      const Index at = part * values_at_once, width = std::min(values_at_once, plan.width - at);
      for (Index i = 0; i < plan.n; ++i)
        std::copy_n(in.frames.row(0, i) + at, width, packed.data() + i * values_at_once);
      for (Index i = 0; i < plan.n; ++i) {
        const Index first = in.starts.data[i], count = in.starts.data[i + 1] - first;
        if (count == 0)
          std::copy_n(in.frames.row(0, i) + at, width, out.means.row(0, i) + at);
        else
          kernels_for<T>().weighted_rows(packed.data(), values_at_once, in.indices.data + first,
                                         shares.data() + first, count, width,
                                         out.means.row(0, i) + at);
      }
    }
  });
}

Cost LinkMeans::cost(const Plan& plan) {
  const auto width = static_cast<double>(plan.width);
  return {plan.n, 2 * static_cast<double>(plan.n_links) * width,
          8 * static_cast<double>(plan.n) * width};
}

METALMOM_INSTANTIATE_OP(LinkMeans);

}  // namespace metalmom::ops
