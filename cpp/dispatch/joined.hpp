// Calls that read the same audio, together on a device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dispatch/choice.hpp"
#include "gpu/run/joined_task.hpp"
#include "gpu/run/run.hpp"
#include "gpu/run/side_by_side.hpp"

namespace metalmom::dispatch {

using Tasks = std::vector<std::unique_ptr<gpu::Task>>;

// Runs the tasks as one on the device of a decision. Returns false if the CPU must do them. Throws
// DeviceError when the GPU was asked for and cannot do it, ParameterError when `unchecked` (samples
// that nobody has checked yet) are not finite. `kept`: where the audio stays on the device for
// later runs, or null.
bool run_joined(Tasks tasks, std::string_view op, Decision& decision,
                std::span<const float> unchecked, gpu::KeptAudio* kept = nullptr);

// Runs short clips in submissions that they share (gpu/run/side_by_side.hpp). Returns false if the
// device failed: then each clip must be run by itself, which goes on without it or tells why.
bool run_side_by_side(std::span<gpu::ClipTask* const> clips, const Decision& decision);

}  // namespace metalmom::dispatch
