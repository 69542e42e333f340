#include "dsp/line_filter.hpp"

#include <algorithm>
#include <limits>

#include "dsp/simd/select.hpp"

namespace metalmom::dsp {

template <class T>
LineKernel<T>::LineKernel(const double* weights, Index size) {
  const auto weight = [&](Index i, Index j) {
    return i >= 0 && i < size ? weights[i * size + j] : 0.0;
  };
  // Row i of the input meets row i of the kernel for the upper row, row i - 1 for the lower one.
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
  const Index width = (n_cols + line_lanes - 1) / line_lanes * line_lanes;
  const Buffer<T> pair(static_cast<std::size_t>(2 * width));
  for (Index row = first_row; row < last_row; row += 2) {
    std::fill(pair.begin(), pair.end(), -std::numeric_limits<T>::infinity());
    for (std::size_t k = 0; k < kernels.size(); ++k)
      kernels[k].apply(in + (row + offsets[k]) * stride + offsets[k], stride, width, pair.data());
    for (Index r = 0; r < std::min<Index>(2, n_rows - row); ++r)
      std::copy_n(pair.data() + r * width, n_cols, out + (row + r) * n_cols);
  }
}

template class LineKernel<float>;
template class LineKernel<double>;
template void filter_lines(std::span<const LineKernel<float>>, std::span<const Index>, const float*,
                           Index, Index, Index, Index, Index, float*);
template void filter_lines(std::span<const LineKernel<double>>, std::span<const Index>,
                           const double*, Index, Index, Index, Index, Index, double*);

}  // namespace metalmom::dsp
