// Medians over all rows of a matrix, column by column (the median over bands of onset strength).
//
// Columns are lanes: the values of a row are neighbours in memory. Values that are not negative
// sort as their bits do, so the middle one is found from its highest bit down: with each bit set on
// trial, it counts how many values lie below. That is 31 passes over the rows for floats (63 for
// doubles) whatever their number, with neither branches nor moves, over data that stay in the first
// cache; sorting the columns would move every value log^2 n times. A last pass finds the upper
// middle for an even number of rows.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
struct BitsOf {
  typedef int32_t type;
};
template <>
struct BitsOf<double> {
  typedef int64_t type;
};

// out[t] = the median of values[r * stride + t] over `rows` rows, for `count` columns, a multiple
// of 16; for an even number of rows the mean of the middle two. Values must not be negative.
template <class T>
void column_medians(const T* values, Index rows, Index stride, Index count, T* out) {
  using Bits = typename BitsOf<T>::type;
  constexpr int W = native_width<T>, n = 16 / W < 4 ? 16 / W : 4, top_bit = 8 * sizeof(T) - 2;
  using V = Vec<Bits, W>;
  const Bits rank = (rows - 1) / 2;  // of the lower of the two middle values
  for (Index t = 0; t < count; t += n * W) {
    V found[n] = {};
    for (int bit = top_bit; bit >= 0; --bit) {
      V below[n] = {};
      for (Index r = 0; r < rows; ++r)
#pragma GCC unroll 4
        for (int i = 0; i < n; ++i)
          below[i] -= (V)load<T, W>(values + r * stride + t + i * W) < (found[i] | Bits(1) << bit);
#pragma GCC unroll 4
      for (int i = 0; i < n; ++i) found[i] |= (below[i] <= rank) & (Bits(1) << bit);
    }
    // The upper middle value equals the lower one if that occurs often enough; otherwise it is the
    // next larger value.
    V upto[n] = {}, next[n];
    for (int i = 0; i < n; ++i) next[i] = ~V{} ^ Bits(Bits(1) << (top_bit + 1));
    for (Index r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int i = 0; i < n; ++i) {
        const V value = (V)load<T, W>(values + r * stride + t + i * W);
        upto[i] -= value <= found[i];
        next[i] = value > found[i] && value < next[i] ? value : next[i];
      }
    for (int i = 0; i < n; ++i) {
      const V upper = rows % 2 || upto[i] > rank + 1 ? found[i] : next[i];
      store<T, W>(out + t + i * W, ((Vec<T, W>)found[i] + (Vec<T, W>)upper) / 2);
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
