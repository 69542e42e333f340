// Complex numbers in vectors. In memory the parts are side by side (re, im, re, im ...), as NumPy
// has them; in registers W numbers are a vector of real and one of imaginary parts. The shuffles
// between the two are here and nowhere else.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

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
