// What a transform of blocks for products (block_fft.hpp) needs to know, computed once per size.
// Plain memory, for kernels that are compiled for one instruction set.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

inline constexpr int most_block_passes = 16;

template <class T>
struct BlockPlan {
  Index size = 0;  // L real samples, and as many complex values
  int width = 0;   // of a vector: the kernels of that width run it
  int n_passes = 0;
  int radix[most_block_passes] = {};
  // Pairs (re, im), radix - 1 of them for each block of a pass.
  const T* twiddles[most_block_passes] = {};
  // Of the pass within vectors, for each `width` of them: vectors of real and imaginary parts.
  const T* last = nullptr;
  // After the first pass, spans of so many values do not depend on one another.
  Index span = 0;

  Index n_spans() const { return size / span; }
};

}  // namespace metalmom::dsp::simd
