// Calls that read the same audio, together on a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dispatch/choice.hpp"
#include "gpu/run.hpp"

namespace metalmom::dispatch {

// Runs the tasks as one, if a device is chosen for their cost together. Returns false if the CPU
// must do them. Throws DeviceError when the GPU was asked for and cannot do it, ParameterError when
// `unchecked` (samples that nobody has checked yet) are not finite. `kept`: where the audio stays
// on the device for later runs, or null.
bool run_joined(std::vector<std::unique_ptr<gpu::Task>> tasks, Question question,
                std::span<const float> unchecked, gpu::KeptAudio* kept = nullptr);

}  // namespace metalmom::dispatch
