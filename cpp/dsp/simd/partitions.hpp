// Kernels of partitioned convolution, as a table for each instruction set. partitions.cpp says how
// spectra lie and why.
#pragma once

#include "base/index.hpp"
#include "dsp/simd/block_plan.hpp"
#include "dsp/simd/isa.hpp"

namespace metalmom::dsp::simd {

inline constexpr int group_bins = 16, group_values = 32;

// Transforms of blocks (block_fft.hpp), cut into parts that may be done at different times: the
// first pass for some places of each part, then each span; and back, each span, then all places.
// `work` is 2 * size values that stay between the parts. Groups are `stride` values apart.
template <class T>
struct BlockKernels {
  int width = 0;  // the size is at least its square
  void (*open)(const BlockPlan<T>& plan, const T* samples, Index begin, Index end, T* work);
  void (*span)(const BlockPlan<T>& plan, Index span, T* work, T* groups, Index stride);
  void (*span_back)(const BlockPlan<T>& plan, Index span, const T* groups, Index stride, T* work);
  // Adds the first `size` samples of the result to `low`, and the others to `high`.
  void (*close)(const BlockPlan<T>& plan, const T* work, Index begin, Index end, T* low, T* high);
};

template <class T>
struct PartitionKernels {
  BlockKernels<T> wide, narrow;  // of the instruction set's vectors; of those for small sizes

  // out = sum over k < n of x[(first + k) % n] * h[k], for each of n_groups groups. The n spectra
  // of a group follow one another in x and in h.
  void (*multiply_ring)(const T* x, const T* h, Index n, Index first, Index n_groups, T* out);

  // x[t] = sum over k < n_taps of x[t - k] * h[k], for one group and n_taps - 1 <= t < count.
  // Spectra are `stride` values apart in x and follow one another in h.
  void (*multiply_times)(const T* h, Index n_taps, Index count, T* x, Index stride);

  // y[i] = start[i] + sum over k < n_taps of h[k] * x[i - k] for i < count, summed in groups of 16
  // and of 256, because rounding grows with the length of a sum. Reads up to 15 values beyond the
  // end of `x` and `start`, but does not write beyond the end of `y`.
  void (*direct)(const T* x, const T* h, Index n_taps, const T* start, Index count, T* y);
};

struct PartitionTables {
  PartitionKernels<float> of_float;
  PartitionKernels<double> of_double;
};

template <Isa isa>
const PartitionTables& partitions_of();

// The kernels of the instruction set in use (select.hpp).
template <class T>
const PartitionKernels<T>& partition_kernels();

}  // namespace metalmom::dsp::simd
