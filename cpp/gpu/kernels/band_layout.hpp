// How shaders/weigh.glsl is to weigh the bins of a basis: which thread sums which bins of which
// band, arranged so that the threads of a warp have about as many bins each and read them from
// different banks of shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/kernels/transform.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::gpu {

struct BandLayout {
  bool overlapping = true;  // tasks of bins that feed two neighbouring bands, else parts of rows
  bool nyquist = false;     // a band weighs the last bin, which no task has
  std::uint32_t parts = 1;
  std::uint32_t jobs = 1, job_frames = 1;  // of a thread; of a job
  std::uint32_t frame_stride = 0;
  std::array<std::uint32_t, 16> steps = {};
  std::vector<float> table;
  std::uint64_t serial = 0;  // names the table in the device's cache
};

inline constexpr Index max_bands = 512;  // 16 warps of tasks

// Floats of a frame in shared memory, at most, for any basis of so many bands.
std::uint32_t frame_stride_bound(const TransformShape& shape, Index n_bands);

// Cached by the identity of the basis, which the cache keeps alive.
std::shared_ptr<const BandLayout> band_layout(const std::shared_ptr<const dsp::Basis>& basis,
                                              Index n_fft);

// Never the same twice in a process: the name of a table whose source is too large to compare.
std::uint64_t next_serial();

}  // namespace metalmom::gpu
