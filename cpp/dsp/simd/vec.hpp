// GCC vector types and the few permutations the kernels need. Included by kernel sources only,
// which are compiled once per instruction set: everything is in an unnamed namespace, so that no
// copy can be merged with another set's by the linker, and nothing here is a template of std.
#pragma once

#include <stdint.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace metalmom::dsp::simd {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T, int W>
struct VecOf {
  typedef T type __attribute__((vector_size(W * sizeof(T))));
};
template <class T, int W>
using Vec = typename VecOf<T, W>::type;

// The number of values of T in a register of this instruction set.
template <class T>
constexpr int native_width = vector_bytes / sizeof(T);

template <int... I>
struct Lanes {};
template <int N>
using FirstLanes = Lanes<__integer_pack(N)...>;

// A permutation: lane l of the result is lane Pick{}(l) of a followed by b.
template <class V, class Pick, int... I>
[[gnu::always_inline]] inline V pick_lanes(V a, V b, Pick, Lanes<I...>) {
  return __builtin_shufflevector(a, b, Pick{}(I)...);
}
template <int W, class V, class Pick>
[[gnu::always_inline]] inline V pick(V a, V b, Pick which) {
  return pick_lanes(a, b, which, FirstLanes<W>{});
}

template <class T, int W>
[[gnu::always_inline]] inline Vec<T, W> load(const T* p) {
  Vec<T, W> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

// The value in all lanes. Written as a subtraction of zero, which changes no value, so that it
// compiles to nothing else. (An addition of zero would turn -0 into 0 and be an instruction.)
template <class T, int W>
[[gnu::always_inline]] inline Vec<T, W> broadcast(T value) {
  return value - Vec<T, W>{};
}

// Converts floats or doubles to T. Written out because GCC 12 widens in two halves where one
// instruction does, in the innermost loops of all transforms of floats in double.
template <class T, int W, class V>
[[gnu::always_inline]] inline Vec<T, W> converted(V v) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 8 && sizeof(V) == 32 && W == 8)
    return (Vec<T, W>)_mm512_maskz_cvtps_pd(0xff, (__m256)v);
#endif
#if defined(__AVX2__)
  if constexpr (sizeof(T) == 8 && sizeof(V) == 16 && W == 4)
    return (Vec<T, W>)_mm256_cvtps_pd((__m128)v);
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(T) == 8 && sizeof(V) == 8 && W == 2)
    return (Vec<T, W>)_mm_cvtps_pd((__m128)__builtin_shufflevector(v, v, 0, 1, 0, 1));
#endif
  return __builtin_convertvector(v, Vec<T, W>);
}

// Loads S and converts to T.
template <class T, int W, class S>
[[gnu::always_inline]] inline Vec<T, W> load_as(const S* p) {
  return converted<T, W>(load<S, W>(p));
}

template <class T, int W>
[[gnu::always_inline]] inline void store(T* p, Vec<T, W> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

// Lane by lane; the compiler makes one instruction of the loop.
template <class V>
[[gnu::always_inline]] inline V square_root(V v) {
  for (unsigned lane = 0; lane < sizeof(V) / sizeof(v[0]); ++lane)
    v[lane] = sizeof(v[0]) == 4 ? __builtin_sqrtf(float(v[lane])) : __builtin_sqrt(v[lane]);
  return v;
}

template <class T, int W>
[[gnu::always_inline]] inline Vec<T, W> reversed(Vec<T, W> v) {
  return pick<W>(v, v, [](int l) { return W - 1 - l; });
}

// a and b hold 2 W consecutive values: the even ones go to a, the odd ones to b.
template <class T, int W>
[[gnu::always_inline]] inline void deinterleave(Vec<T, W>& a, Vec<T, W>& b) {
  const Vec<T, W> even = pick<W>(a, b, [](int l) { return 2 * l; });
  b = pick<W>(a, b, [](int l) { return 2 * l + 1; });
  a = even;
}

// The inverse: a0 b0 a1 b1 ...
template <class T, int W>
[[gnu::always_inline]] inline void interleave(Vec<T, W>& a, Vec<T, W>& b) {
  const Vec<T, W> low = pick<W>(a, b, [](int l) { return l / 2 + (l % 2 ? W : 0); });
  b = pick<W>(a, b, [](int l) { return (W + l) / 2 + (l % 2 ? W : 0); });
  a = low;
}

// One bit per lane of a comparison's result.
template <class M>
[[gnu::always_inline]] inline unsigned lane_bits(M mask) {
  constexpr int W = sizeof(M) / sizeof(mask[0]);
#if defined(__AVX512DQ__)
  if constexpr (W == 16) return _mm512_movepi32_mask((__m512i)mask);
  if constexpr (W == 8 && sizeof(M) == 64) return _mm512_movepi64_mask((__m512i)mask);
#endif
#if defined(__AVX2__)
  if constexpr (W == 8 && sizeof(M) == 32) return unsigned(_mm256_movemask_ps((__m256)mask));
  if constexpr (W == 4 && sizeof(M) == 32) return unsigned(_mm256_movemask_pd((__m256d)mask));
#endif
#if defined(__SSE2__)
  if constexpr (W == 4 && sizeof(M) == 16) return unsigned(_mm_movemask_ps((__m128)mask));
  if constexpr (W == 2) return unsigned(_mm_movemask_pd((__m128d)mask));
#endif
  unsigned bits = 0;
  for (int lane = 0; lane < W; ++lane) bits |= (mask[lane] ? 1u : 0u) << lane;
  return bits;
}

// Transposes W rows of W values in registers, by what instruction sets offer: first unpacking
// within chunks of 128 bits, then moving whole chunks.
template <class T, int W>
struct Transpose {
  using V = Vec<T, W>;
  static constexpr int chunk = 16 / sizeof(T);
  static constexpr int chunks = W / chunk;

  [[gnu::always_inline]] inline static void unpack(V& a, V& b) {
    const V low = pick<W>(a, b, [](int l) { return l / chunk * chunk + half(l) + (l % 2) * W; });
    b = pick<W>(a, b, [](int l) { return l / chunk * chunk + chunk / 2 + half(l) + (l % 2) * W; });
    a = low;
  }
  [[gnu::always_inline]] inline static void unpack_pairs(V& a, V& b) {  // pairs of floats
    const V low = pick<W>(a, b, [](int l) { return l / 4 * 4 + l % 2 + (l % 4 / 2) * W; });
    b = pick<W>(a, b, [](int l) { return l / 4 * 4 + 2 + l % 2 + (l % 4 / 2) * W; });
    a = low;
  }
  // a <- the even chunks of a, b; b <- the odd ones.
  [[gnu::always_inline]] inline static void split_chunks(V& a, V& b) {
    const V even = pick<W>(a, b, [](int l) { return 2 * (l / chunk) * chunk + l % chunk; });
    b = pick<W>(a, b, [](int l) { return (2 * (l / chunk) + 1) * chunk + l % chunk; });
    a = even;
  }
  [[gnu::always_inline]] inline static void swap(V& a, V& b) {
    const V t = a;
    a = b;
    b = t;
  }

  [[gnu::always_inline]] inline static void run(V* r) {
    if constexpr (chunk == 4) {
#pragma GCC unroll 4
      for (int g = 0; g < W; g += 4) {
        unpack(r[g], r[g + 1]);
        unpack(r[g + 2], r[g + 3]);
        unpack_pairs(r[g], r[g + 2]);
        unpack_pairs(r[g + 1], r[g + 3]);
        swap(r[g + 1], r[g + 2]);
      }
    } else {
#pragma GCC unroll 4
      for (int g = 0; g < W; g += 2) unpack(r[g], r[g + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < chunk; ++i) {
      if constexpr (chunks == 2) split_chunks(r[i], r[i + chunk]);
      if constexpr (chunks == 4) {
        V &a = r[i], &b = r[i + chunk], &c = r[i + 2 * chunk], &d = r[i + 3 * chunk];
        split_chunks(a, b);
        split_chunks(c, d);
        split_chunks(a, c);
        split_chunks(b, d);
      }
    }
  }

 private:
  static constexpr int half(int l) {
    return l % chunk / 2;
  }
};

}  // namespace
}  // namespace metalmom::dsp::simd
