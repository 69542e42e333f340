// The largest of several convolutions at each place, with kernels that are lines: what enhances the
// paths of a similarity matrix in any of their directions.
#pragma once

#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// One kernel, (size, size), as it is laid over the image: out[y, x] is the sum of
// weights[i, j] * in[y + i, x + j].
template <class T>
class LineKernel {
 public:
  LineKernel(const double* weights, Index size);

  // Two rows of output from `in` on, the larger of `out` and the sum; n_cols is a multiple of 64.
  void apply(const T* in, Index in_stride, Index n_cols, T* out) const;

 private:
  std::vector<Index> first_, count_;  // of each row of input, the taps that either row reads
  std::vector<T> weights_;            // pairs: for the upper and the lower row
};

// out[y, x], (n_rows, n_cols): the largest of the kernels' sums. `in`: the image with its padding,
// (n_rows + size - 1, stride) for the largest kernel; kernel k begins offsets[k] rows and columns
// into it. Computes rows [first_row, last_row).
template <class T>
void filter_lines(std::span<const LineKernel<T>> kernels, std::span<const Index> offsets,
                  const T* in, Index stride, Index first_row, Index last_row, Index n_rows,
                  Index n_cols, T* out);

inline constexpr Index line_lanes = 64;  // columns are computed in multiples of it

}  // namespace metalmom::dsp
