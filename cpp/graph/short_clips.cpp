// The short clips of a device part, which share submissions.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "dispatch/joined.hpp"
#include "gpu/device.hpp"
#include "gpu/joined_task.hpp"
#include "graph/device_part.hpp"

namespace metalmom::graph {

struct DevicePart::ShortClip {
  std::vector<Group*> groups;
  std::vector<std::size_t> calls;
  gpu::JoinedTask joined;
  gpu::ClipTask task;
};

namespace {

// A decision with the device that was chosen, or is asked for. None where that cannot be had: then each
// call tells why.
dispatch::Decision with_device(const dispatch::Decision& decision) {
  if (decision.device) return decision;
  try {
    return dispatch::choose({"graph", true, {}, [](const gpu::Limits&) { return nullptr; }});
  } catch (const DeviceError&) {
    return decision;
  }
}

}  // namespace

bool DevicePart::is_declined(const gpu::Device& device, std::size_t call) const {
  return calls_[call]->declines(gpu::info(device).limits) != nullptr;
}

// Null for a clip that is long, or of which the device does not take all calls.
std::unique_ptr<DevicePart::ShortClip> DevicePart::short_clip(
    const std::vector<Group*>& groups, const gpu::Device& device) {
  auto clip = std::make_unique<ShortClip>(groups, calls_of(groups));
  const auto& calls = clip->calls;
  if (calls.empty() || std::ranges::any_of(calls, [&](std::size_t i) { return is_declined(device, i); }))
    return nullptr;
  for (auto& each : tasks_of(calls)) clip->joined.add(std::move(each));
  gpu::KeptAudio* const kept =
      session_.on_device(groups[0]->consumers[0]->y(), is_followed(calls));
  if (!gpu::can_share_submissions(device, clip->joined)) return nullptr;
  const auto samples = calls_[calls[0]]->audio().single;
  const bool is_finite = session_.is_finite(std::as_bytes(samples));
  clip->task = {&clip->joined, is_finite ? std::span<const float>() : samples, kept, {}};
  return clip;
}

// Removes from `clips` those that it has run.
void DevicePart::run_short(Clips& clips, const dispatch::Decision& decision) {
  if (clips.size() < 2) return;
  const dispatch::Decision own = with_device(decision);
  if (!own.device) return;
  std::vector<std::unique_ptr<ShortClip>> shorts;
  std::vector<gpu::ClipTask*> tasks;
  Clips others;
  for (const auto& groups : clips) {
    if (auto clip = short_clip(groups, *own.device)) {
      tasks.push_back(&clip->task);
      shorts.push_back(std::move(clip));
    } else {
      others.push_back(groups);  // a copy: `clips` stay where no short ones are run
    }
  }
  if (shorts.empty() || !dispatch::run_side_by_side(tasks, own)) return;
  for (auto& clip : shorts)
    check_audio(nodes_, clip->groups, [&] {
      if (clip->task.error) std::rethrow_exception(clip->task.error);
      for (const std::size_t i : clip->calls) nodes_[i].side = "GPU";
      for (Group* const group : clip->groups) group->drop(clip->calls);
      if (is_followed(clip->calls))
        session_.note_finite(std::as_bytes(calls_[clip->calls[0]]->audio().single));
    });
  clips = std::move(others);
}

}  // namespace metalmom::graph
