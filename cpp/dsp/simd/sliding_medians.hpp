// Medians of windows that slide down 16 columns: the median filters of harmonic-percussive
// separation (Fitzgerald 2010).
//
// Columns are lanes, so a comparator of a sorting network is a min and a max of vectors: no
// branches, no dependence on the data. For the usual window of 31 rows, 8 neighbouring windows are
// done together. They share 24 rows, which are sorted once; of those only the middle values can be
// a median of any of the 8. Then the 8 windows are halved, and halved again, each half merging in
// the rows it has more: 45 minima and maxima a median where a network for one window takes 274. Any
// other size keeps a sorted window and replaces the oldest value by the newest, also by min and
// max.
//
// Source: Batcher 1968 (the network); Knuth, The Art of Computer Programming 3, 5.2.2.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// A minimum and a maximum, each one instruction. If a comparator used one comparison for both, it
// would become a comparison and two blends.
template <class V>
[[gnu::always_inline]] inline V smaller(V a, V b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V larger(V a, V b) {
  return a > b ? a : b;
}

// The comparators that sort n values: merge exchange (Batcher 1968; Knuth, The Art of Computer
// Programming 3, algorithm 5.2.2 M).
template <int n>
struct Sorting {
  int low[n * n / 2 + 1] = {}, high[n * n / 2 + 1] = {}, count = 0;

  constexpr Sorting() {
    int top = 1;
    while (2 * top < n) top *= 2;
    for (int p = top; p > 0; p /= 2) {
      int q = top, r = 0, d = p;
      while (true) {
        for (int i = 0; i + d < n; ++i)
          if ((i & p) == r) {
            low[count] = i;
            high[count++] = i + d;
          }
        if (q == p) break;
        d = q - p;
        q /= 2;
        r = p;
      }
    }
  }
};

template <int n>
constexpr Sorting<n> sorting;

template <class V>
[[gnu::always_inline]] inline void exchange(V& a, V& b) {
  const V low = smaller(a, b);
  b = larger(a, b);
  a = low;
}

// Sorts n vectors. Where results are not used, the compiler removes the minima and maxima that only
// they need.
template <int n, class V>
[[gnu::always_inline]] inline void sort(V* v) {
  [&]<int... i>(Lanes<i...>) {
    (exchange(v[sorting<n>.low[i]], v[sorting<n>.high[i]]), ...);
  }
  (FirstLanes<sorting<n>.count>{});
}

template <class T, int W>
struct MedianRows {
  const T* in;
  Index stride;
  T* out;
  Index out_stride;

  [[gnu::always_inline]] Vec<T, W> operator[](Index row) const {
    return load<T, W>(in + row * stride);
  }
};

template <int size, int first, int n, class T, int W>
[[gnu::always_inline]] inline void split_medians(const MedianRows<T, W>& rows,
                                                 const Vec<T, W>* middle);

// n / 2 of the n windows, from window `first` on, share further rows: those from `added` on. Merges
// them into the middle values that all n windows share. The value of rank r of two sorted lists is
// the least of max(a[i - 1], b[j - 1]) over all i + j = r + 1.
template <int size, int first, int n, int added, class T, int W>
[[gnu::always_inline]] inline void halve_medians(const MedianRows<T, W>& rows,
                                                 const Vec<T, W>* middle) {
  constexpr int half = n / 2;
  Vec<T, W> more[half], shared[half];
#pragma GCC unroll 8
  for (int i = 0; i < half; ++i) more[i] = rows[added + i];
  sort<half>(more);
#pragma GCC unroll 8
  for (int r = half; r < n; ++r) {
    shared[r - half] = middle[r];
#pragma GCC unroll 8
    for (int j = 1; j <= half; ++j)
      shared[r - half] = smaller(shared[r - half], larger(middle[r - j], more[j - 1]));
  }
  split_medians<size, first, half>(rows, shared);
}

// Stores the medians of n windows of `size` rows, the first of which begins at row `first`.
// `middle`: of the rows that all of them share, the n middle values in order. Only these can be a
// median, whatever the other rows hold.
template <int size, int first, int n, class T, int W>
[[gnu::always_inline]] inline void split_medians(const MedianRows<T, W>& rows,
                                                 const Vec<T, W>* middle) {
  if constexpr (n == 1) {
    store<T, W>(rows.out + first * rows.out_stride, middle[0]);
  } else {
    halve_medians<size, first, n, first + n / 2 - 1>(rows, middle);
    halve_medians<size, first + n / 2, n, first + size>(rows, middle);
  }
}

// Eight windows at a time: of 31 rows each they share 24.
template <int size, class T>
void medians_of(const T* in, Index stride, Index count, T* out, Index out_stride) {
  constexpr int W = native_width<T>, at_once = 8, n_shared = size - at_once + 1;
  for (Index row = 0; row < count; row += at_once) {
    // The last eight windows may repeat some of those before; `count` is at least eight.
    const Index first = row + at_once <= count ? row : count - at_once;
    for (int lane = 0; lane < n_lanes; lane += W) {
      const MedianRows<T, W> rows{in + first * stride + lane, stride,
                                  out + first * out_stride + lane, out_stride};
      Vec<T, W> shared[n_shared];
#pragma GCC unroll 32
      for (int i = 0; i < n_shared; ++i) shared[i] = rows[at_once - 1 + i];
      sort<n_shared>(shared);
      split_medians<size, 0, at_once>(rows, shared + (n_shared - at_once) / 2);
    }
  }
}

// Any size: keeps the window sorted, and replaces the oldest value by the newest at each step.
template <class T>
void medians_of_any(const T* in, Index stride, Index size, Index count, T* window, T* out,
                    Index out_stride) {
  constexpr int W = native_width<T>;
  using V = Vec<T, W>;
  const auto at = [&](Index i) { return window + i * W; };
  for (int lane = 0; lane < n_lanes; lane += W, in += W, out += W) {
    const auto insert = [&](V value, Index n) {
      for (Index i = 0; i < n; ++i) {
        const V here = load<T, W>(at(i));
        store<T, W>(at(i), smaller(here, value));
        value = larger(here, value);
      }
      store<T, W>(at(n), value);
    };
    for (Index i = 0; i < size; ++i) insert(load<T, W>(in + i * stride), i);
    for (Index row = 0;; ++row) {
      store<T, W>(out + row * out_stride, load<T, W>(at(size / 2)));
      if (row + 1 == count) break;
      const V oldest = load<T, W>(in + row * stride);
      V value = load<T, W>(in + (row + size) * stride);
      V here = load<T, W>(at(0));
      for (Index i = 0; i + 1 < size; ++i) {
        const V next = load<T, W>(at(i + 1));
        const V kept = here < oldest ? here : next;
        store<T, W>(at(i), smaller(kept, value));
        value = larger(kept, value);
        here = next;
      }
      store<T, W>(at(size - 1), value);
    }
  }
}

template <class T>
void sliding_medians(const T* in, Index stride, Index size, Index count, T* window, T* out,
                     Index out_stride) {
  if (size == 31 && count >= 8)
    medians_of<31>(in, stride, count, out, out_stride);
  else
    medians_of_any(in, stride, size, count, window, out, out_stride);
}

}  // namespace
}  // namespace metalmom::dsp::simd
