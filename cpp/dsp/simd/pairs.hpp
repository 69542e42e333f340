// Complex numbers in vectors. In memory the parts are side by side (re, im, re, im ...), as NumPy
// has them; in registers W numbers are a vector of real and one of imaginary parts. The shuffles
// between the two are here and nowhere else.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// A power of two, times which the parts of a complex number of doubles have squares that neither
// vanish nor overflow; 1 but near the ends of the range. `V` is double or a vector of doubles. (The
// squares of floats do neither in double.)
template <class V>
[[gnu::always_inline]] inline V scale_of_squares(V re, V im) {
  const V a = re < 0 ? -re : re, b = im < 0 ? -im : im, size = a > b ? a : b;
  return size < 0x1p-400 ? V{} + 0x1p600 : size > 0x1p500 ? V{} + 0x1p-530 : V{} + 1.0;
}

// W complex numbers in registers.
template <class T, int W>
struct Pairs {
  Vec<T, W> re, im;

  [[gnu::always_inline]] static Pairs load_from(const T* p) {
    Vec<T, W> a = load<T, W>(p), b = load<T, W>(p + W);
    deinterleave<T, W>(a, b);
    return {a, b};
  }
  [[gnu::always_inline]] void store_to(T* p) const {
    Vec<T, W> a = re, b = im;
    interleave<T, W>(a, b);
    store<T, W>(p, a);
    store<T, W>(p + W, b);
  }
};

}  // namespace
}  // namespace metalmom::dsp::simd
