// Work on blocks of 16 frames in lane layout, lanes[bin * 16 + frame]: bringing spectra there, and
// products with a basis (mel, chroma).
//
// With a frame a lane, all of a basis's arithmetic is a weight times a vector of 16 frames: no
// reduction across lanes, whatever the widths of the bands, and the sum of a frame runs over the
// bins in their order on every instruction set. Sixteen floats are one vector of AVX-512 and four
// of the baseline; a Block hides how many. There are three products: overlapping triangles (each
// bin feeds two neighbouring bands, one pass over the bins), rows (each band has bins of its own),
// and dense (every bin feeds every band; the sums of as many bands as there are registers are made
// together, so a bin is loaded once for all of them).
//
// dsp/frame_transform.hpp makes the blocks, dsp/bands.hpp chooses the product.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Sixteen lanes as native vectors.
template <class T>
struct Block {
  static constexpr int W = native_width<T>, n = n_lanes / W;
  Vec<T, W> part[n];

  [[gnu::always_inline]] inline void add(T weight, const Block& values) {
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) part[i] += weight * values.part[i];
  }
  [[gnu::always_inline]] inline void add(const Block& values) {
#pragma GCC unroll 8
    for (int i = 0; i < n; ++i) part[i] += values.part[i];
  }
};

template <class T>
[[gnu::always_inline]] inline Block<T> load_block(const T* p) {
  Block<T> block;
#pragma GCC unroll 8
  for (int i = 0; i < Block<T>::n; ++i) block.part[i] = load<T, Block<T>::W>(p + i * Block<T>::W);
  return block;
}

template <class T>
[[gnu::always_inline]] inline void store_block(T* p, const Block<T>& block) {
#pragma GCC unroll 8
  for (int i = 0; i < Block<T>::n; ++i) store<T, Block<T>::W>(p + i * Block<T>::W, block.part[i]);
}

template <class T>
[[gnu::always_inline]] inline void store_band(const BandOutput<T>& to, Index band,
                                              const Block<T>& block) {
  T* out = to.out + band * to.stride;
  if (to.count == n_lanes) {
    store_block(out, block);
    return;
  }
  T lanes[n_lanes];
  store_block(lanes, block);
  for (Index i = 0; i < to.count; ++i) out[i] = lanes[i];
}

template <class T>
void lanes_from_rows(const T* rows, Index stride, Index count, Index n_bins, T* lanes) {
  constexpr int W = native_width<T>;
  Index bin = 0;
  for (; bin + W <= n_bins; bin += W)
    for (int first = 0; first < n_lanes; first += W) {
      Vec<T, W> block[W];
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i)
        block[i] = first + i < count ? load<T, W>(rows + (first + i) * stride + bin) : Vec<T, W>{};
      Transpose<T, W>::run(block);
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) store<T, W>(lanes + (bin + i) * n_lanes + first, block[i]);
    }
  for (; bin < n_bins; ++bin)
    for (Index i = 0; i < n_lanes; ++i)
      lanes[bin * n_lanes + i] = i < count ? rows[i * stride + bin] : T(0);
}

// Back from lane layout to rows.
template <class T>
void lanes_to_rows(const T* lanes, Index n_bins, Index count, T* rows, Index stride) {
  constexpr int W = native_width<T>;
  Index bin = 0;
  for (; bin + W <= n_bins; bin += W)
    for (int first = 0; first < count; first += W) {
      Vec<T, W> block[W];
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i) block[i] = load<T, W>(lanes + (bin + i) * n_lanes + first);
      Transpose<T, W>::run(block);
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i)
        if (first + i < count) store<T, W>(rows + (first + i) * stride + bin, block[i]);
    }
  for (; bin < n_bins; ++bin)
    for (Index i = 0; i < count; ++i) rows[i * stride + bin] = lanes[bin * n_lanes + i];
}

template <class T>
void square_roots(const T* squares, Index n_bins, T scale, T* roots, T* sums) {
  Block<T> sum = {};
#pragma GCC unroll 4
  for (Index bin = 0; bin < n_bins; ++bin) {
    Block<T> here = load_block(squares + bin * n_lanes);
    sum.add(here);
#pragma GCC unroll 8
    for (int i = 0; i < Block<T>::n; ++i) here.part[i] = square_root(here.part[i]) * scale;
    store_block(roots + bin * n_lanes, here);
  }
  store_block(sums, sum);
}

// Lane by lane the larger of two. NaN is larger than anything.
template <class T>
[[gnu::always_inline]] inline void raise_to(Block<T>& top, const Block<T>& here) {
#pragma GCC unroll 8
  for (int i = 0; i < Block<T>::n; ++i) {
    const auto replaces = (here.part[i] > top.part[i]) | (here.part[i] != here.part[i]);
    top.part[i] = replaces ? here.part[i] : top.part[i];
  }
}

// The largest value of each lane, NaN if there is one. Four maxima are kept side by side, since a
// comparison has to wait for the one before it.
template <class T>
void lane_maxima(const T* lanes, Index n_bins, T* maxima) {
  constexpr int chains = Block<T>::n < 4 ? 4 / Block<T>::n : 1;
  Block<T> top[chains];
#pragma GCC unroll 4
  for (int c = 0; c < chains; ++c) top[c] = load_block(lanes);
  Index bin = 1;
  for (; bin + chains <= n_bins; bin += chains) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; ++c) raise_to(top[c], load_block(lanes + (bin + c) * n_lanes));
  }
  for (; bin < n_bins; ++bin) raise_to(top[0], load_block(lanes + bin * n_lanes));
#pragma GCC unroll 4
  for (int c = 1; c < chains; ++c) raise_to(top[0], top[c]);
  store_block(maxima, top[0]);
}

template <class T>
void peak_bits(const T* lanes, Index n_bins, Index first, Index count, const T* limits,
               unsigned short* bits) {
  const Block<T> limit = load_block(limits);
  for (Index k = 0; k < count; ++k) {
    const T* at = lanes + (first + k) * n_lanes;
    const Block<T> here = load_block(at), below = load_block(at - n_lanes);
    const Block<T> above = first + k + 1 < n_bins ? load_block(at + n_lanes) : here;
    unsigned found = 0;
#pragma GCC unroll 8
    for (int i = 0; i < Block<T>::n; ++i)
      found |= lane_bits((here.part[i] > limit.part[i]) & (here.part[i] > below.part[i]) &
                         (here.part[i] >= above.part[i]))
               << (i * Block<T>::W);
    bits[k] = static_cast<unsigned short>(found);
  }
}

// One pass over the bins: the falling slope of one band and the rising slope of the next.
template <class T>
void overlapping_bands(const Segment* segments, Index n_segments, const T* falling, const T* rising,
                       const T* lanes, Index n_bands, BandOutput<T> out) {
  Block<T> current = {}, next = {};
  Index band = -1;
  const auto advance = [&](Index to) {
    for (; band < to; ++band) {
      if (band >= 0) store_band(out, band, current);
      current = next;
      next = {};
    }
  };
  for (Index i = 0; i < n_segments; ++i) {
    const Segment& segment = segments[i];
    advance(segment.band);
    // Two sums for each slope, since a multiply-add has to wait four cycles for the one before it.
    // They begin at zero, so that of one frame (one_frame.cpp) no segment waits for the one before.
    Block<T> falls = {}, falls2 = {}, next2 = {};
    Index bin = segment.first;
    for (; bin + 2 <= segment.last; bin += 2) {
      const Block<T> a = load_block(lanes + bin * n_lanes);
      const Block<T> b = load_block(lanes + (bin + 1) * n_lanes);
      falls.add(falling[bin], a);
      next.add(rising[bin], a);
      falls2.add(falling[bin + 1], b);
      next2.add(rising[bin + 1], b);
    }
    if (bin < segment.last) {
      const Block<T> a = load_block(lanes + bin * n_lanes);
      falls.add(falling[bin], a);
      next.add(rising[bin], a);
    }
    falls.add(falls2);
    current.add(falls);
    next.add(next2);
  }
  advance(n_bands);
}

// `count` bands at once, so that each block of lanes is loaded once for all of them. Sums over
// every fourth of bins_at_once bins are added up: rounding grows with the length of a sum, and of
// one frame (one_frame.cpp) the four are made side by side.
template <class T, int count>
[[gnu::always_inline]] inline void dense_bands(const T* weights, Index n_bands, Index n_bins,
                                               const T* lanes, BandOutput<T> out, Index band) {
  const Index row = padded_bands(n_bands);
  Block<T> total[count] = {};
  for (Index first = 0; first < n_bins; first += bins_at_once) {
    const Index last = n_bins - first < bins_at_once ? n_bins : first + bins_at_once;
    for (Index begin = first; begin < first + sums_at_once; ++begin) {
      Block<T> sums[count] = {};
      for (Index bin = begin; bin < last; bin += sums_at_once) {
        const Block<T> values = load_block(lanes + bin * n_lanes);
        const T* w = weights + bin * row + band;
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) sums[i].add(w[i], values);
      }
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) total[i].add(sums[i]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) store_band(out, band + i, total[i]);
}

// The number of bands whose sums fit the registers, beside a block of lanes and a weight.
template <class T>
constexpr int bands_at_once = (vector_bytes == 64 ? 24 : 12) / Block<T>::n;

// Calls dense_bands with a constant count of 1 .. most.
template <class T, int most>
[[gnu::always_inline]] inline void dense_group(int count, const T* weights, Index n_bands,
                                               Index n_bins, const T* lanes, BandOutput<T> out,
                                               Index band) {
  if constexpr (most > 0) {
    if (count == most)
      dense_bands<T, most>(weights, n_bands, n_bins, lanes, out, band);
    else
      dense_group<T, most - 1>(count, weights, n_bands, n_bins, lanes, out, band);
  }
}

template <class T>
void dense_product(const T* weights, Index n_bands, Index n_bins, const T* lanes,
                   BandOutput<T> out) {
  constexpr int most = bands_at_once < T >> 12 ? 12 : bands_at_once<T>;
  // Groups of even size: 13 bands go as 7 + 6 rather than as 12 + 1.
  for (Index left = n_bands; left > 0;) {
    const Index groups = (left + most - 1) / most;
    const int count = int((left + groups - 1) / groups);
    dense_group<T, most>(count, weights, n_bands, n_bins, lanes, out, n_bands - left);
    left -= count;
  }
}

template <class T>
void row_product(const T* weights, Index n_bins, const T* lanes, BandOutput<T> out) {
  Block<T> even = {}, odd = {};
  Index bin = 0;
  for (; bin + 2 <= n_bins; bin += 2) {
    even.add(weights[bin], load_block(lanes + bin * n_lanes));
    odd.add(weights[bin + 1], load_block(lanes + (bin + 1) * n_lanes));
  }
  if (bin < n_bins) even.add(weights[bin], load_block(lanes + bin * n_lanes));
  even.add(odd);
  store_band(out, 0, even);
}

}  // namespace
}  // namespace metalmom::dsp::simd
