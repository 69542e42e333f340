// The bins of a basis as tasks for the threads of shaders/weigh.glsl.
//
// A task is a run of bins with two weights each. Of overlapping bands (mel) task i has the bins
// between the centres of bands i and i + 1, which feed both: each bin is read once. Of other bases
// two whole rows are paired, and cut into parts where there are fewer bands than threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/kernels/basis_weights.hpp"
#include "gpu/record/push.hpp"

namespace metalmom::gpu {

// Bins [first, last) of one thread, each with two weights.
struct BandTask {
  std::uint32_t number = 0;
  Index first = 0, last = 0;
  std::vector<float> low, high;
  Index count() const { return last - first; }
};

// For overlapping bands. Task i: bins that feed band i (low) and i + 1 (high), below bin `half`.
std::vector<BandTask> overlapping_tasks(const dsp::Basis& basis, Index half);

// For any bands. Tasks parts * i + p: part p of the bins of bands 2 i (low) and 2 i + 1 (high).
std::vector<BandTask> row_tasks(const dsp::Basis& basis, Index half, Index parts);

// Where each of a warp's threads begins to read. All read `steps` bins, with weight 0 outside their
// own, so a thread with fewer may begin earlier, on a bank of shared memory that is free.
struct WarpReads {
  Index steps = 0;  // a multiple of step_multiple
  std::vector<Index> begins;
};
WarpReads plan_reads(std::span<const BandTask> tasks, Index half);

}  // namespace metalmom::gpu
