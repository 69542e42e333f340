// Compiled once per instruction set, as kernels.cpp is.
#include "dsp/simd/one_frame.hpp"

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Two values, followed by zeros. Sums are lanes of vectors here, too: these files allow the compiler to
// add up scalars in another order, and vectors are added as they stand.
template <class T>
[[gnu::always_inline]] inline Vec<T, 4> load_two(const T* p) {
  return Vec<T, 4>{p[0], p[1], T(0), T(0)};
}

// A band's sums wait for one another, and those of the next bands do not: a processor has several
// bands in work.
template <class T>
void overlapping(const Segment* segments, Index n_segments, const T* falling, const T* rising,
                 const T* bins, Index n_bands, T* out, Index stride) {
  T current = 0, next = 0;
  Index band = -1;
  const auto advance = [&](Index to) {
    for (; band < to; ++band) {
      if (band >= 0) out[band * stride] = current;
      current = next;
      next = 0;
    }
  };
  for (Index i = 0; i < n_segments; ++i) {
    const Segment& segment = segments[i];
    advance(segment.band);
    // Of even places, and of odd ones.
    Vec<T, 4> falls = {current, T(0), T(0), T(0)}, rises = {};
    Index bin = segment.first;
    for (; bin + 2 <= segment.last; bin += 2) {
      const Vec<T, 4> here = load_two(bins + bin);
      falls += load_two(falling + bin) * here;
      rises += load_two(rising + bin) * here;
    }
    if (bin < segment.last) {
      const Vec<T, 4> here = {bins[bin], T(0), T(0), T(0)};
      falls += Vec<T, 4>{falling[bin], T(0), T(0), T(0)} * here;
      rises += Vec<T, 4>{rising[bin], T(0), T(0), T(0)} * here;
    }
    current = falls[0] + falls[1];
    next = rises[0] + rises[1];
  }
  advance(n_bands);
}

// The sums of `across` vectors of bands over `count` groups of bins_at_once bins each, side by side,
// then one by one to the whole sums.
template <class T, int across, int count>
[[gnu::always_inline]] inline void dense_groups(const T* weights, Index n_bands, const T* bins,
                                                Index n_bins, bool first,
                                                Vec<T, native_width<T>>* whole) {
  constexpr int W = native_width<T>;
  Vec<T, W> sums[count][across] = {};
  for (Index bin = 0; bin < n_bins; ++bin)
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i)
#pragma GCC unroll 4
      for (int v = 0; v < across; ++v) {
        const Index at = bin + i * bins_at_once;
        sums[i][v] += bins[at] * load<T, W>(weights + at * n_bands + v * W);
      }
#pragma GCC unroll 4
  for (int v = 0; v < across; ++v)
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i)
      whole[v] = first && i == 0 ? sums[0][v] : whole[v] + sums[i][v];
}

template <class T, int across>
[[gnu::always_inline]] inline void dense_bands(const T* weights, Index n_bands, Index n_bins,
                                               const T* bins, Index band, T* out, Index stride) {
  constexpr int W = native_width<T>, at_once = across == 1 ? 8 : 2;
  Vec<T, W> whole[across] = {};
  Index bin = 0;
  const T* w = weights + band;
  for (; bin + at_once * bins_at_once <= n_bins; bin += at_once * bins_at_once)
    dense_groups<T, across, at_once>(w + bin * n_bands, n_bands, bins + bin, bins_at_once, bin == 0,
                                     whole);
  for (; bin < n_bins; bin += bins_at_once) {
    const Index here = n_bins - bin < bins_at_once ? n_bins - bin : bins_at_once;
    dense_groups<T, across, 1>(w + bin * n_bands, n_bands, bins + bin, here, bin == 0, whole);
  }
  T values[across * W];
  for (int v = 0; v < across; ++v) store<T, W>(values + v * W, whole[v]);
  const Index count = n_bands - band < across * W ? n_bands - band : across * W;
  for (Index i = 0; i < count; ++i) out[(band + i) * stride] = values[i];
}

template <class T>
void dense(const T* weights, Index n_bands, Index n_bins, const T* bins, T* out, Index stride) {
  constexpr int W = native_width<T>;
  Index band = 0;
  for (; band + 3 * W < n_bands; band += 4 * W)
    dense_bands<T, 4>(weights, n_bands, n_bins, bins, band, out, stride);
  for (; band + W < n_bands; band += 2 * W)
    dense_bands<T, 2>(weights, n_bands, n_bins, bins, band, out, stride);
  if (band < n_bands) dense_bands<T, 1>(weights, n_bands, n_bins, bins, band, out, stride);
}

template <class T>
T row(const T* weights, Index n_bins, const T* bins) {
  Vec<T, 4> sums = {};
  Index bin = 0;
  for (; bin + 2 <= n_bins; bin += 2) sums += load_two(weights + bin) * load_two(bins + bin);
  if (bin < n_bins)
    sums += Vec<T, 4>{weights[bin], T(0), T(0), T(0)} * Vec<T, 4>{bins[bin], T(0), T(0), T(0)};
  return sums[0] + sums[1];
}

template <class T>
constexpr OneFrameKernels<T> kernels_for = {overlapping<T>, dense<T>, row<T>};

constexpr OneFrameTables these_tables = {kernels_for<float>, kernels_for<double>};

}  // namespace

template <>
const OneFrameTables& one_frame_of<this_isa>() {
  return these_tables;
}

}  // namespace metalmom::dsp::simd
