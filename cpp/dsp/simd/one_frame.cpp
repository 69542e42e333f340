// Compiled once per instruction set, as kernels.cpp is.
#include "dsp/simd/one_frame.hpp"

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Two values, followed by zeros. Sums are lanes of vectors here, too: these files allow the
// compiler to add up scalars in another order, and vectors are added as they stand.
template <class T>
[[gnu::always_inline]] inline Vec<T, 4> load_two(const T* p) {
  return Vec<T, 4>{p[0], p[1], T(0), T(0)};
}

// Two values, twice. By intrinsics because GCC 12 makes two instructions of it where one does.
template <class T>
[[gnu::always_inline]] inline Vec<T, 4> two_twice(const T* p) {
#if defined(__AVX2__)
  if constexpr (sizeof(T) == 4)
    return (Vec<T, 4>)_mm_loaddup_pd((const double*)p);
  else
    return (Vec<T, 4>)_mm256_broadcast_pd((const __m128d*)p);
#else
  const auto two = load<T, 2>(p);
  return __builtin_shufflevector(two, two, 0, 1, 0, 1);
#endif
}

// A vector of four is the work of two bins: the falling slope's products of the even and the odd
// one, then the rising slope's. The sums of a pair of slopes wait for one another, and those of the
// next pairs do not: a processor has several in work.
template <class T>
void overlapping(const SlopePair* pairs, const T* weights, const T* bins, Index n_bands, T* out,
                 Index stride) {
  using V = Vec<T, 4>;
  V risen = {};  // the sum over the rising slope of the present band is the first value
  for (Index k = 0; k <= n_bands; ++k) {
    const SlopePair pair = pairs[k];
    const T* const here = bins + pair.first;
    V sums = {};
    Index bin = 0;
    for (; bin < pair.even; bin += 2) sums += load<T, 4>(weights + 2 * bin) * two_twice(here + bin);
    if (pair.odd) {
      sums += load<T, 4>(weights + 2 * bin) * V{here[bin], T(0), here[bin], T(0)};
      bin += 2;
    }
    weights += 2 * bin;
    sums += __builtin_shufflevector(sums, sums, 1, 0, 3, 2);  // even + odd
    risen += sums;
    if (k > 0) out[(k - 1) * stride] = risen[0];
    risen = __builtin_shufflevector(sums, sums, 2, 3, 2, 3);
  }
}

// Four values again and again. By intrinsics because GCC 12 widens vectors by way of the stack.
template <class T>
[[gnu::always_inline]] inline auto repeated(const T* four) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4)
    return (Vec<T, 16>)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps((const float*)four));
  else
    return (Vec<T, 8>)_mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd((const double*)four));
#elif defined(__AVX2__)
  if constexpr (sizeof(T) == 4)
    return (Vec<T, 8>)_mm256_broadcast_ps((const __m128*)four);
  else
    return load<T, 4>(four);
#else
  return load<T, native_width<T> >(four);
#endif
}

// Of four bins each lane gets the one that its weight belongs to. The weights of a bin are whole
// quads (padded_bands), so a quad of lanes has one bin.
template <class T>
struct Spread {
  static constexpr int W = native_width<T>;
  using Places = decltype(Vec<T, W>{} < Vec<T, W>{});
  Places places = {};

  // Of the lanes from `first` on, `row` of which belong to each bin.
  [[gnu::always_inline]] void begin_at(Index first, Index row) {
    using Place = decltype(Places{}[0] + 0);
    Places at = counted(FirstLanes<W>{});
    at += Place(first);
    const Place bin = Place(row);
    places = -((at >= bin) + (at >= 2 * bin) + (at >= 3 * bin));
  }
  [[gnu::always_inline]] Vec<T, W> operator()(const T* bins) const {
#if defined(__AVX512F__)  // within quads, which takes less time than across a vector
    if constexpr (sizeof(T) == 4)
      return (Vec<T, W>)_mm512_maskz_permutevar_ps(0xffff, (__m512)repeated(bins), (__m512i)places);
#endif
    if constexpr (W > 4)
      return __builtin_shuffle(repeated(bins), places);
    else
      return broadcast<T, W>(bins[places[0]]);
  }

 private:
  template <int... I>
  [[gnu::always_inline]] static Places counted(Lanes<I...>) {
    return Places{I...};
  }
};

// Adds up the products of `across` vectors of weights in `count` groups of n_bins bins, side by
// side. The sums of a group are 4 * row values: those of every fourth bin, for each band.
template <class T, int across, int count>
[[gnu::always_inline]] inline void dense_sums(const T* weights, Index row, Index n_bins,
                                              const T* bins, Index first, T* sums) {
  constexpr int W = native_width<T>;
  Spread<T> spread[across] = {};
#pragma GCC unroll 8
  for (int v = 0; v < across; ++v) spread[v].begin_at(first + v * W, row);
  Vec<T, W> products[count][across] = {};
  const auto add = [&](int i, const T* four, const T* w) __attribute__((always_inline)) {
#pragma GCC unroll 8
    for (int v = 0; v < across; ++v)
      products[i][v] += spread[v](four) * load<T, W>(w + first + v * W);
  };
  Index bin = 0;
  for (; bin + sums_at_once <= n_bins; bin += sums_at_once)
#pragma GCC unroll 2
    for (int i = 0; i < count; ++i) {
      const Index at = bin + i * bins_at_once;
      add(i, bins + at, weights + at * row);
    }
  if (count == 1 && bin < n_bins) {
    T rest[sums_at_once] = {};
    for (Index i = 0; bin + i < n_bins; ++i) rest[i] = bins[bin + i];
    add(0, rest, weights + bin * row);
  }
#pragma GCC unroll 2
  for (int i = 0; i < count; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < across; ++v)
      store<T, W>(sums + i * sums_at_once * row + first + v * W, products[i][v]);
}

template <class T, int most, int count>
[[gnu::always_inline]] inline void dense_across(int across, const T* weights, Index row,
                                                Index n_bins, const T* bins, Index first, T* sums) {
  if constexpr (most > 0) {
    if (across == most)
      dense_sums<T, most, count>(weights, row, n_bins, bins, first, sums);
    else
      dense_across<T, most - 1, count>(across, weights, row, n_bins, bins, first, sums);
  }
}

// Vectors at a time, whose sums and places fit the registers.
constexpr int most_across = vector_bytes == 64 ? 5 : 3;

// `count` groups; their sums go one after the other to those of the bands.
template <class T, int count>
void dense_groups(const T* weights, Index row, Index n_bins, const T* bins, T* sums, T* bands) {
  constexpr int W = native_width<T>;
  for (Index left = sums_at_once * row / W; left > 0;) {
    const Index parts = (left + most_across - 1) / most_across;
    const int across = int((left + parts - 1) / parts);
    dense_across<T, most_across, count>(across, weights, row, n_bins, bins,
                                        sums_at_once * row - left * W, sums);
    left -= across;
  }
  for (Index band = 0; band < row; band += W) {
    Vec<T, W> total = load<T, W>(bands + band);
    for (int i = 0; i < count * sums_at_once; ++i) total += load<T, W>(sums + i * row + band);
    store<T, W>(bands + band, total);
  }
}

template <class T>
void dense(const T* weights, Index n_bands, Index n_bins, const T* bins, T* memory, T* out,
           Index stride) {
  const Index row = padded_bands(n_bands);
  T* const bands = memory;
  T* const sums = memory + row + one_vector;
  for (Index band = 0; band < row + one_vector; ++band) bands[band] = T(0);
  Index bin = 0;
  for (; bin + 2 * bins_at_once <= n_bins; bin += 2 * bins_at_once)
    dense_groups<T, 2>(weights + bin * row, row, bins_at_once, bins + bin, sums, bands);
  for (; bin < n_bins; bin += bins_at_once) {
    const Index here = n_bins - bin < bins_at_once ? n_bins - bin : bins_at_once;
    dense_groups<T, 1>(weights + bin * row, row, here, bins + bin, sums, bands);
  }
  for (Index band = 0; band < n_bands; ++band) out[band * stride] = bands[band];
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
