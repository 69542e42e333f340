#include "ops/segment/filter_lines.hpp"

#include <algorithm>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "dsp/line_filter.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
FilterLines::Plan FilterLines::plan(const Params& params, const In<T>& in) {
  check(params);
  const Index width = (params.n_cols + dsp::line_lanes - 1) / dsp::line_lanes * dsp::line_lanes;
  require(!in.sizes.empty() && in.sizes.size() == in.offsets.size(), "n_filters",
          std::ssize(in.sizes), "at least 1");
  double n_weights = 0;
  for (std::size_t k = 0; k < in.sizes.size(); ++k) {
    const auto size = static_cast<Index>(in.sizes[k]), offset = static_cast<Index>(in.offsets[k]);
    require(size >= 1 && offset >= 0 && params.n_rows + offset + size < in.image.rows + 1 &&
                width + offset + size <= in.image.cols + 1,
            "sizes", size, "such that the image has room for the kernel");
    n_weights += in.sizes[k] * in.sizes[k];
  }
  require(static_cast<double>(in.weights.size()) == n_weights, "weights.size",
          std::ssize(in.weights), "the sizes squared");
  return {params, in.image.cols, n_weights};
}

template <class T>
void FilterLines::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  std::vector<dsp::LineKernel<T>> kernels;
  std::vector<Index> offsets;
  const double* weights = in.weights.data();
  for (std::size_t k = 0; k < in.sizes.size(); ++k) {
    const auto size = static_cast<Index>(in.sizes[k]);
    kernels.emplace_back(weights, size);
    offsets.push_back(static_cast<Index>(in.offsets[k]));
    weights += size * size;
  }
  const Index n_rows = plan.params.n_rows;
  if (dsp::SparseImage<T> values;
      dsp::find_values(in.image.data, in.image.rows, plan.stride, values)) {
    constexpr Index together = dsp::sparse_line_rows;
    parallel_for(ceil_div(n_rows, together), 1, [&](Index first, Index last) {
      dsp::filter_lines<T>(kernels, offsets, values, plan.stride, first * together,
                           std::min(last * together, n_rows), plan.params.n_cols, out.largest.data);
    });
    return;
  }
  parallel_for((n_rows + 1) / 2, 4, [&](Index first, Index last) {
    dsp::filter_lines<T>(kernels, offsets, in.image.data, plan.stride, 2 * first,
                         std::min(2 * last, n_rows), n_rows, plan.params.n_cols, out.largest.data);
  });
}

Cost FilterLines::cost(const Plan& plan) {
  const auto cells = static_cast<double>(plan.params.n_rows * plan.params.n_cols);
  return {plan.params.n_rows, 2 * cells * plan.n_weights / 8, 16 * cells};
}

METALMOM_INSTANTIATE_OP(FilterLines);

}  // namespace metalmom::ops
