// Products of a basis with one frame, as a table for each instruction set (one_frame.cpp is
// compiled once for each). Every sum is made of the same operations in the same order as that of a
// lane (lanes.hpp), so a frame has the same bits whether it comes alone or among sixteen.
#pragma once

#include "dsp/simd/kernels.hpp"

namespace metalmom::dsp::simd {

// Values that kernels read and write behind those that count, at most.
inline constexpr Index one_vector = 16;

// Working memory of `dense` in values.
inline constexpr Index dense_memory(Index n_bands) {
  return (1 + 2 * sums_at_once) * padded_bands(n_bands) + 2 * one_vector;
}

// The falling slope of a band and the rising slope of the next one, which share even + odd bins
// from `first` on: an even number, and 0 or 1 more.
struct SlopePair {
  int first, even, odd;
};

template <class T>
struct OneFrameKernels {
  // out[band * stride]; the arguments are those of LaneKernels, with one value a bin.
  // `overlapping`: n_bands + 1 pairs, the first of the rising slope of band 0 alone; of their
  // weights four for every two bins: the falling slope's, then the rising slope's.
  void (*overlapping)(const SlopePair* pairs, const T* weights, const T* bins, Index n_bands,
                      T* out, Index stride);
  void (*dense)(const T* weights, Index n_bands, Index n_bins, const T* bins, T* memory, T* out,
                Index stride);
  T (*row)(const T* weights, Index n_bins, const T* bins);
};

struct OneFrameTables {
  OneFrameKernels<float> of_float;
  OneFrameKernels<double> of_double;
};

template <Isa isa>
const OneFrameTables& one_frame_of();

// Those of the instruction set in use (select.hpp).
template <class T>
const OneFrameKernels<T>& one_frame_kernels();

}  // namespace metalmom::dsp::simd
