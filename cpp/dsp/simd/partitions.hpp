// Kernels of partitioned convolution, as a table for each instruction set (partitions.cpp is
// compiled once for each).
//
// Spectra lie in groups of 16 bins, 16 real parts and then 16 imaginary ones: products of spectra
// need no shuffling so. The bin at half the sampling rate, which is real, is kept beside them.
#pragma once

#include "base/index.hpp"
#include "dsp/simd/isa.hpp"

namespace metalmom::dsp::simd {

inline constexpr int group_bins = 16, group_values = 32;

template <class T>
struct PartitionKernels {
  // Pairs (re, im) to groups, each `stride` values after the one before, and back from groups that
  // lie side by side.
  void (*to_groups)(const T* pairs, Index n_groups, T* groups, Index stride);
  void (*to_pairs)(const T* groups, Index n_groups, T* pairs);

  // out = sum over k < n of x[(first + k) % n] * h[k], for each of some groups, whose n spectra lie
  // side by side in x and in h.
  void (*multiply_ring)(const T* x, const T* h, Index n, Index first, Index n_groups, T* out);

  // out[t * stride ...] = sum over k < n_taps of x[t - k] * h[k], for one group and t < count; x
  // begins n_taps - 1 spectra before t = 0.
  void (*multiply_times)(const T* x, const T* h, Index n_taps, Index count, T* out, Index stride);

  // y[i] = start[i] + sum over k < n_taps of h[k] * x[i - k], in the order of k, for i < count.
  // Reads up to 15 values of `x` and `start` beyond, and writes none.
  void (*direct)(const T* x, const T* h, Index n_taps, const T* start, Index count, T* y);
};

struct PartitionTables {
  PartitionKernels<float> of_float;
  PartitionKernels<double> of_double;
};

template <Isa isa>
const PartitionTables& partitions_of();

// Those of the instruction set in use (select.hpp).
template <class T>
const PartitionKernels<T>& partition_kernels();

}  // namespace metalmom::dsp::simd
