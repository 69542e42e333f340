#include "dsp/line_filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ceil_div.hpp"
#include "base/interrupt.hpp"
#include "dsp/simd/select.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp {
namespace {

template <class T>
const auto& scatter_kernels() {
  if constexpr (std::is_same_v<T, float>)
    return simd::kernels().tonal().float_scatter;
  else
    return simd::kernels().tonal().double_scatter;
}

}  // namespace

template <class T>
LineKernel<T>::LineKernel(const double* weights, Index size) {
  const auto weight = [&](Index i, Index j) {
    return i >= 0 && i < size ? weights[i * size + j] : 0.0;
  };
  // Row i of the input meets row i of the kernel in the upper of two rows of output, and row i - 1
  // in the lower one.
  for (Index i = 0; i <= size; ++i) {
    const auto is_read = [&](Index j) { return weight(i, j) != 0 || weight(i - 1, j) != 0; };
    Index first = 0, last = size;
    while (first < size && !is_read(first)) ++first;
    while (last > first && !is_read(last - 1)) --last;
    first_.push_back(first);
    count_.push_back(last - first);
    for (Index j = first; j < last; ++j) {
      weights_.push_back(static_cast<T>(weight(i, j)));
      weights_.push_back(static_cast<T>(weight(i - 1, j)));
    }
  }
  for (Index i = 0; i < size; ++i) {
    Index first = 0, last = size;
    while (first < size && weight(i, first) == 0) ++first;
    while (last > first && weight(i, last - 1) == 0) --last;
    begin_.push_back(1 - last);
    room_.push_back(last - first);
    reversed_.resize(reversed_.size() + simd::line_margin, T(0));
    offset_.push_back(std::ssize(reversed_));
    for (Index j = last; j-- > first;) reversed_.push_back(static_cast<T>(weight(i, j)));
  }
  reversed_.resize(reversed_.size() + simd::line_margin, T(0));
}

template <class T>
void LineKernel<T>::apply(const T* in, Index in_stride, Index n_cols, T* out) const {
  const simd::LineTaps<T> taps{std::ssize(first_), first_.data(), count_.data(), weights_.data()};
  if constexpr (std::is_same_v<T, float>)
    simd::kernels().float_structure.filter_lines(taps, in, in_stride, n_cols, out);
  else
    simd::kernels().double_structure.filter_lines(taps, in, in_stride, n_cols, out);
}

template <class T>
void filter_lines(std::span<const LineKernel<T>> kernels, std::span<const Index> offsets,
                  const T* in, Index stride, Index first_row, Index last_row, Index n_rows,
                  Index n_cols, T* out) {
  const Index width = round_up(n_cols, line_lanes);
  const Buffer<T> pair(static_cast<std::size_t>(2 * width));
  for (Index row = first_row; row < last_row; row += 2) {
    std::fill(pair.begin(), pair.end(), -std::numeric_limits<T>::infinity());
    for (std::size_t k = 0; k < kernels.size(); ++k)
      kernels[k].apply(in + (row + offsets[k]) * stride + offsets[k], stride, width, pair.data());
    for (Index r = 0; r < std::min<Index>(2, n_rows - row); ++r)
      std::copy_n(pair.data() + r * width, n_cols, out + (row + r) * n_cols);
  }
}

template <class T>
void LineKernel<T>::scatter(Index first, Index last, const T* values, const std::int32_t* columns,
                            Index count, T* out, Index stride) const {
  scatter_kernels<T>().lines({begin_.data(), room_.data(), offset_.data(), reversed_.data()}, first,
                             last, values, columns, count, out, stride);
}

template <class T>
bool find_values(const T* image, Index n_rows, Index n_cols, SparseImage<T>& found) {
  // Adding up what single values contribute and summing over the whole kernel take equally long
  // where one value in six is not zero.
  const auto most = static_cast<std::size_t>(n_rows * n_cols / 6);
  found.starts = {0};
  for (Index row = 0; row < n_rows; ++row) {
    for (Index column = 0; column < n_cols; ++column) {
      const T value = image[row * n_cols + column];
      if (value == 0) continue;
      if (!std::isfinite(value)) return false;
      found.columns.push_back(static_cast<std::int32_t>(column));
      found.values.push_back(value);
    }
    if (found.values.size() > most) return false;
    found.starts.push_back(std::ssize(found.values));
  }
  return true;
}

template <class T>
void filter_lines(std::span<const LineKernel<T>> kernels, std::span<const Index> offsets,
                  const SparseImage<T>& image, Index n_image_cols, Index first_row, Index last_row,
                  Index n_cols, T* out) {
  Index before = 0;  // how far to the left of its own column a value contributes
  for (std::size_t k = 0; k < kernels.size(); ++k)
    before = std::max(before, kernels[k].size() + offsets[k]);
  const Index stride = round_up(before + n_image_cols, line_lanes);
  const Buffer<T> sums(static_cast<std::size_t>(sparse_line_rows * stride));
  for (Index begin = first_row; begin < last_row; begin += sparse_line_rows) {
    const Index count = std::min(sparse_line_rows, last_row - begin);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      check_interrupt();
      std::fill_n(sums.data(), count * stride, T(0));
      const Index size = kernels[k].size();
      for (Index row = begin; row < begin + count - 1 + size; ++row) {
        // Row i of the kernel adds this row of the image to row - i of the result.
        const Index first = std::max<Index>(0, row - (begin + count - 1));
        const Index last = std::min(size, row - begin + 1);
        const auto at = static_cast<std::size_t>(row + offsets[k]);
        const Index from = image.starts[at], to = image.starts[at + 1];
        kernels[k].scatter(
            first, last, image.values.data() + from, image.columns.data() + from, to - from,
            sums.data() + (row - first - begin) * stride + before - offsets[k], stride);
      }
      for (Index r = 0; r < count; ++r) {
        const T* const sum = sums.data() + r * stride + before;
        T* const best = out + (begin + r) * n_cols;
        for (Index c = 0; c < n_cols; ++c) best[c] = k > 0 && best[c] > sum[c] ? best[c] : sum[c];
      }
    }
  }
}

template class LineKernel<float>;
template class LineKernel<double>;
template void filter_lines(std::span<const LineKernel<float>>, std::span<const Index>, const float*,
                           Index, Index, Index, Index, Index, float*);
template void filter_lines(std::span<const LineKernel<double>>, std::span<const Index>,
                           const double*, Index, Index, Index, Index, Index, double*);

template bool find_values(const float*, Index, Index, SparseImage<float>&);
template bool find_values(const double*, Index, Index, SparseImage<double>&);
template void filter_lines(std::span<const LineKernel<float>>, std::span<const Index>,
                           const SparseImage<float>&, Index, Index, Index, Index, float*);
template void filter_lines(std::span<const LineKernel<double>>, std::span<const Index>,
                           const SparseImage<double>&, Index, Index, Index, Index, double*);

}  // namespace metalmom::dsp
