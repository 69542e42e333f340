// The ways in which the CPU convolves whole signals. By blocks: all of them are transformed once,
// each group of values is filtered along time while it is in cache, and all blocks are transformed
// back; the second half of a block's result is added to the first half of the next one's.
#pragma once

#include <array>
#include <string_view>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::ops {

enum class ConvolveMethod { automatic, direct, fft, overlap_save, partitioned };

// The method that is expected to be fastest, its block length, and the expected times.
struct ConvolvePlan {
  ConvolveMethod method;
  const char* name;
  Index block = 0;
  double direct_us = 0, blocks_us = 0;
};
ConvolvePlan plan_convolve(Index n_samples, Index n_taps, ConvolveMethod asked);

// Rows of x with those of h (one for all, or one for each): the samples [first, first + out.cols)
// of the full result. Any number of threads, the same bytes.
template <class T>
void convolve_rows(const ConvolvePlan& plan, const View<const T>& x, const View<const T>& h,
                   Index first, const View<T>& out);

}  // namespace metalmom::ops

namespace metalmom {

template <>
struct EnumNames<ops::ConvolveMethod> {
  static constexpr std::array<std::string_view, 5> value = {"auto", "direct", "fft", "overlap_save",
                                                            "partitioned"};
};

}  // namespace metalmom
