// How shaders/weigh.glsl is to weigh the bins of a basis: which thread sums which bins of which
// band.
//
// A group of threads holds the powers of some frames in shared memory, and a basis says which bins
// make which bands. A thread a band would leave most of a warp idle: the highest mel bands have
// many times the bins of the lowest. So the bins are cut into tasks (band_tasks.hpp), sorted by
// their length; 32 tasks are a block, whose threads take equally many steps, and a block for some
// of the frames is a job of a warp. Jobs are given to warps longest first. Within a block the
// threads begin where they read different banks of shared memory.
//
// The table goes to the device once for each basis and size: a word a task, the last bin's weights,
// then the weights in pairs, 32 tasks a step, so that a warp's loads are runs. constants.h has the
// bits of the words.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/kernels/transform.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::gpu {

struct BandLayout {
  // Tasks are bins that feed two neighbouring bands; if not, parts of two bands' rows.
  bool overlapping = true;
  bool nyquist = false;                    // a band weighs the last bin, which no task has
  std::uint32_t parts = 1;                 // of the rows of two bands
  std::uint32_t jobs = 1, job_frames = 1;  // jobs of a thread; frames of a job
  std::uint32_t frame_stride = 0;
  std::array<std::uint32_t, job_entries> steps = {};
  std::vector<float> table;
  std::uint64_t serial = 0;  // names the table in the device's cache
};

// One task for each: the warps of a group have the same number of jobs.
constexpr Index max_bands(const TransformShape& shape) {
  return Index{job_entries / (shape.threads / warp)} * shape.threads;
}

// An upper bound of the floats that a frame takes in shared memory, for any basis of so many bands.
std::uint32_t frame_stride_bound(const TransformShape& shape, Index n_bands);

// Cached by the identity of the basis, which the cache keeps alive.
std::shared_ptr<const BandLayout> band_layout(const std::shared_ptr<const dsp::Basis>& basis,
                                              Index n_fft);

}  // namespace metalmom::gpu
