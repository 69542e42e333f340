// Calls that read the same audio, together on a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dispatch/choice.hpp"
#include "gpu/run.hpp"

namespace metalmom::dispatch {

// Runs the tasks as one if a device is chosen for what they cost together. False: the CPU is to do
// them. Throws DeviceError when the GPU was asked for and cannot do it, ParameterError when the input
// whose samples are `unchecked` is not finite. Audio may be `kept` on the device.
bool run_joined(std::vector<std::unique_ptr<gpu::Task>> tasks, Question question,
                std::span<const float> unchecked, gpu::KeptAudio* kept = nullptr);

}  // namespace metalmom::dispatch
