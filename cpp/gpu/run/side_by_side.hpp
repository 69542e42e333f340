// Short clips on a device: tasks of their own, of which many share a submission. The kernels of one
// clip leave most of a device idle and wait for each other; recorded together, those of all clips
// run beside each other, phase by phase (gpu/record/schedule.hpp).
#pragma once

#include <exception>
#include <span>

#include "gpu/run/run.hpp"

namespace metalmom::gpu {

struct ClipTask {
  const Task* task = nullptr;             // which `can_share_submissions`
  std::span<const float> unchecked = {};  // its samples, which must be finite, if nobody has looked
  KeptAudio* kept = nullptr;              // where its audio may stay for later runs
  std::exception_ptr error = {};          // in the end: the ParameterError of its samples
};

// Whether the task reads one array and is no larger than a piece of work for the device.
bool can_share_submissions(const Device& device, const Task& task);

// Runs the clips and stores their results. Throws DeviceFailed; some clips may be done then.
void run_side_by_side(Device& device, std::span<ClipTask* const> clips);

}  // namespace metalmom::gpu
