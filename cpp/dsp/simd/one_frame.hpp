// Products of a basis with one frame, as a table for each instruction set (one_frame.cpp is compiled
// once for each). Every sum is made of the same operations in the same order as that of a lane
// (lanes.hpp), so a frame has the same bits whether it comes alone or among sixteen.
#pragma once

#include "dsp/simd/kernels.hpp"

namespace metalmom::dsp::simd {

// Weights of a dense basis are followed by so many values that may be read and do not matter.
inline constexpr Index read_beyond = 64;

template <class T>
struct OneFrameKernels {
  // out[band * stride]; the arguments are those of LaneKernels, with one value a bin.
  void (*overlapping)(const Segment* segments, Index n_segments, const T* falling, const T* rising,
                      const T* bins, Index n_bands, T* out, Index stride);
  void (*dense)(const T* weights, Index n_bands, Index n_bins, const T* bins, T* out, Index stride);
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
