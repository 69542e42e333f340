// Products of spectra for partitioned convolution (Stockham 1966; Gardner 1995, "Efficient
// convolution without input-output delay"), and the direct convolution of its first taps.
//
// Spectra (block_fft.hpp) lie in groups of 16 values, 16 real parts and then 16 imaginary ones, so
// that a product of complex vectors is four multiply-adds without shuffles. A group is multiplied
// with all partitions of the response at once: its sums stay in registers and memory is read in
// runs.
//
// Several groups, or times, are multiplied side by side, because a multiply-add has to wait four
// cycles for the one before it. Sums of many products are made 16 at a time and then added up,
// which keeps rounding errors from growing with the length of the response.
//
// Compiled once per instruction set, as kernels.cpp is.
#include "dsp/simd/partitions.hpp"

#include "dsp/simd/block_fft.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
constexpr int per_group = group_bins / native_width<T>;  // vectors of real parts in a group

// A sum of products of two vectors of complex values.
template <class T, int W>
struct Sum {
  Vec<T, W> re, im;

  [[gnu::always_inline]] void add(const T* x, const T* h) {
    const auto xr = load<T, W>(x), xi = load<T, W>(x + group_bins);
    const auto hr = load<T, W>(h), hi = load<T, W>(h + group_bins);
    re += xr * hr;
    im += xr * hi;
    re -= xi * hi;
    im += xi * hr;
  }
  [[gnu::always_inline]] void add(const Sum& other) {
    re += other.re;
    im += other.im;
  }
};

// So many products are summed before their sum is added to the rest: rounding errors grow with the
// number of terms in one sum.
constexpr Index summed_at_once = 16;

// N groups side by side, whose chains of multiply-adds are independent.
template <class T, int N>
[[gnu::always_inline]] inline void multiply_groups(const T* x, const T* h, Index n, Index first,
                                                   T* out) {
  constexpr int W = native_width<T>;
  const Index row = n * group_values;
  for (int v = 0; v < per_group<T>; ++v) {
    Sum<T, W> sums[N] = {};
    const T* xv = x + first * group_values + v * W;
    const T* hv = h + v * W;
    for (Index k = 0; k < n;) {
      Sum<T, W> some[N] = {};
      // The run of the ring up to its end; there `x` begins anew.
      const Index turn = k < n - first ? n - first : n;
      const Index end = turn - k < summed_at_once ? turn : k + summed_at_once;
      if (k == n - first) xv = x + v * W;
      for (; k < end; ++k, xv += group_values, hv += group_values)
        for (int i = 0; i < N; ++i) some[i].add(xv + i * row, hv + i * row);
      for (int i = 0; i < N; ++i) sums[i].add(some[i]);
    }
    for (int i = 0; i < N; ++i) {
      store<T, W>(out + i * group_values + v * W, sums[i].re);
      store<T, W>(out + i * group_values + group_bins + v * W, sums[i].im);
    }
  }
}

template <class T>
void multiply_ring(const T* x, const T* h, Index n, Index first, Index n_groups, T* out) {
  const Index row = n * group_values;
  Index g = 0;
  for (; g + 4 <= n_groups; g += 4)
    multiply_groups<T, 4>(x + g * row, h + g * row, n, first, out + g * group_values);
  for (; g < n_groups; ++g)
    multiply_groups<T, 1>(x + g * row, h + g * row, n, first, out + g * group_values);
}

// So many groups ahead the groups of a row are fetched from an outer cache.
constexpr Index fetched_ahead = 8;

// The results of N neighbouring times. They take the places of these spectra, which no earlier time
// reads.
template <class T, int N>
[[gnu::always_inline]] inline void multiply_at(const T* h, Index n_taps, T* x, Index stride) {
  constexpr int W = native_width<T>;
  for (int i = 0; i < N; ++i)
    for (Index line = 0; line < group_values; line += 64 / Index(sizeof(T)))
      __builtin_prefetch(x + i * stride + fetched_ahead * group_values + line, 1, 2);
  for (int v = 0; v < per_group<T>; ++v) {
    Sum<T, W> sums[N] = {};
    for (Index k = 0; k < n_taps;) {
      Sum<T, W> some[N] = {};
      const Index end = n_taps - k < summed_at_once ? n_taps : k + summed_at_once;
      for (; k < end; ++k)
        for (int i = 0; i < N; ++i)
          some[i].add(x + (i - k) * stride + v * W, h + k * group_values + v * W);
      for (int i = 0; i < N; ++i) sums[i].add(some[i]);
    }
    for (int i = 0; i < N; ++i) {
      store<T, W>(x + i * stride + v * W, sums[i].re);
      store<T, W>(x + i * stride + group_bins + v * W, sums[i].im);
    }
  }
}

template <class T>
void multiply_times(const T* h, Index n_taps, Index count, T* x, Index stride) {
  Index t = count;
  for (; t - 4 >= n_taps - 1; t -= 4) multiply_at<T, 4>(h, n_taps, x + (t - 4) * stride, stride);
  for (; t - 1 >= n_taps - 1; --t) multiply_at<T, 1>(h, n_taps, x + (t - 1) * stride, stride);
}

template <class T, int N>
[[gnu::always_inline]] inline void direct_at(const T* x, const T* h, Index n_taps, const T* start,
                                             T* y) {
  constexpr int W = native_width<T>;
  Vec<T, W> sums[N] = {};
  constexpr Index in_turn = summed_at_once * summed_at_once;
  for (Index k = 0; k < n_taps;) {
    Vec<T, W> more[N] = {};
    const Index last = n_taps - k < in_turn ? n_taps : k + in_turn;
    while (k < last) {
      Vec<T, W> some[N] = {};
      const Index end = last - k < summed_at_once ? last : k + summed_at_once;
      for (; k < end; ++k)
        for (int i = 0; i < N; ++i) some[i] += h[k] * load<T, W>(x + i * W - k);
      for (int i = 0; i < N; ++i) more[i] += some[i];
    }
    for (int i = 0; i < N; ++i) sums[i] += more[i];
  }
  for (int i = 0; i < N; ++i) store<T, W>(y + i * W, load<T, W>(start + i * W) + sums[i]);
}

template <class T>
void direct(const T* x, const T* h, Index n_taps, const T* start, Index count, T* y) {
  constexpr int W = native_width<T>, N = 4;
  Index i = 0;
  for (; i + N * W <= count; i += N * W) direct_at<T, N>(x + i, h, n_taps, start + i, y + i);
  for (; i + W <= count; i += W) direct_at<T, 1>(x + i, h, n_taps, start + i, y + i);
  if (i == count) return;
  T rest[W];
  direct_at<T, 1>(x + i, h, n_taps, start + i, rest);
  for (Index k = 0; i + k < count; ++k) y[i + k] = rest[k];
}

template <class T, int W>
constexpr BlockKernels<T> blocks_of_width = {W, open_block<T, W>, transform_span<T, W>,
                                             transform_span_back<T, W>, close_block<T, W>};

template <class T>
constexpr PartitionKernels<T> kernels_for() {
  constexpr int W = native_width<T>;
  return {blocks_of_width<T, W>, blocks_of_width<T, (W > 8 ? 8 : W)>, multiply_ring<T>,
          multiply_times<T>, direct<T>};
}

constexpr PartitionTables these_tables = {kernels_for<float>(), kernels_for<double>()};

}  // namespace

template <>
const PartitionTables& partitions_of<this_isa>() {
  return these_tables;
}

}  // namespace metalmom::dsp::simd
