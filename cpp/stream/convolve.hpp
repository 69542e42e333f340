// Convolution of whole signals by overlap-save: all blocks are transformed once, each group of bins
// is filtered along time while it is in cache, and all blocks are transformed back.
#pragma once

#include <string_view>

#include "base/view.hpp"

namespace metalmom::stream {

enum class ConvolveMethod { automatic, direct, fft, overlap_save, partitioned };

// The method that is expected to be fastest, and its block length.
struct ConvolvePlan {
  ConvolveMethod method;
  std::string_view name;
  Index block = 0;
};
ConvolvePlan plan_convolve(Index n_samples, Index n_taps, ConvolveMethod asked);

// Rows of x with those of h (one for all, or one for each): the samples [first, first + out.cols)
// of the full result. Any number of threads, the same bytes.
template <class T>
void convolve(const ConvolvePlan& plan, const View<const T>& x, const View<const T>& h, Index first,
              const View<T>& out);

}  // namespace metalmom::stream
