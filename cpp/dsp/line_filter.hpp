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

  // Computes two rows of output whose kernel begins at `in`; `out` keeps the larger of what it
  // holds and the sum. n_cols is a multiple of 64.
  void apply(const T* in, Index in_stride, Index n_cols, T* out) const;

  // Adds what the values of one row of input contribute: by the kernel's row `first` to the row
  // `out`, by the next to the row before it, and so on. Writes up to 16 values beyond those that it
  // changes.
  void scatter(Index first, Index last, const T* values, const std::int32_t* columns, Index count,
               T* out, Index stride) const;
  Index size() const { return std::ssize(begin_); }

 private:
  // for each row of input, the taps that either row of output reads
  std::vector<Index> first_, count_;
  std::vector<T> weights_;  // pairs: a weight for the upper and one for the lower row of output
  std::vector<Index> begin_, room_, offset_;  // simd::LineRows
  std::vector<T> reversed_;
};

// An image as a list of its nonzero values, row after row.
template <class T>
struct SparseImage {
  std::vector<Index> starts;  // index of each row's first value, and of the end
  std::vector<std::int32_t> columns;
  std::vector<T> values;
};

// False if so many values are nonzero that sums over all of them are faster, or if one is not
// finite (then the two would differ).
template <class T>
bool find_values(const T* image, Index n_rows, Index n_cols, SparseImage<T>& found);

// out[y, x], (n_rows, n_cols): the largest of the kernels' sums. `in`: the image with its padding,
// (n_rows + size - 1, stride) for the largest kernel; kernel k begins offsets[k] rows and columns
// into it. Computes rows [first_row, last_row).
template <class T>
void filter_lines(std::span<const LineKernel<T>> kernels, std::span<const Index> offsets,
                  const T* in, Index stride, Index first_row, Index last_row, Index n_rows,
                  Index n_cols, T* out);

// The same from an image of few nonzero values, with the same bits.
template <class T>
void filter_lines(std::span<const LineKernel<T>> kernels, std::span<const Index> offsets,
                  const SparseImage<T>& image, Index n_image_cols, Index first_row, Index last_row,
                  Index n_cols, T* out);

inline constexpr Index sparse_line_rows = 32;  // rows that are worth computing together
inline constexpr Index line_lanes = 64;        // columns are computed in multiples of it

}  // namespace metalmom::dsp
