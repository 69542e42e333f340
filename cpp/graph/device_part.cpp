#include "graph/device_part.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/error.hpp"
#include "dispatch/dispatch.hpp"
#include "gpu/device.hpp"
#include "gpu/run/joined_task.hpp"
#include "gpu/run/run.hpp"
#include "trace/trace.hpp"

namespace metalmom::graph {

namespace {

constexpr std::string_view op = "graph";
constexpr trace::Site together_site{"together on the GPU", trace::Category::engine};

double bytes_of(std::span<const gpu::HostArray> arrays) {
  double bytes = 0;
  for (const gpu::HostArray& each : arrays) bytes += static_cast<double>(each.bytes());
  return bytes;
}

}  // namespace

Owner owner_of(std::span<const Call* const> calls, std::span<const std::size_t> some) {
  for (const std::size_t i : some)
    if (const Owner& owner = calls[i]->audio_owner()) return owner;
  return nullptr;
}

// An audio, and its calls that a device takes.
struct DevicePart::Clip {
  const Groups& groups;
  std::vector<std::size_t> calls = {};
  gpu::JoinedTask joined = {};
  gpu::KeptAudio own = {};
};

DevicePart::DevicePart(std::span<const Call* const> calls, Session& session,
                       std::vector<Node>& nodes, std::function<void(std::size_t)> run_alone)
    : calls_(calls), session_(session), nodes_(nodes), run_alone_(std::move(run_alone)) {}

void DevicePart::run(Pipelines<float>& pipelines) {
  if (setting_->backend == dispatch::Backend::cpu) return;
  const std::vector<Groups> audios = pipelines.groups_of_each_audio();
  if (audios.empty()) return;
  const dispatch::Decision decision = is_forced() ? forced() : decide(audios);
  if (!decision.device && !is_forced()) return;
  std::deque<Clip> clips;
  std::vector<gpu::Work> works;
  for (const Groups& groups : audios) {
    Clip& clip = clips.emplace_back(groups);
    take_calls(clip, decision.device);
    if (clip.calls.empty())
      clips.pop_back();
    else
      works.push_back(work_of(clip));
  }
  if (works.empty()) return;
  {
    trace::Span span(together_site);
    const dispatch::CounterArgs gained;
    gpu::run(*decision.device, works);
    if (span.on()) {
      span.arg("clips", std::ssize(clips));
      gained.report(span);
    }
  }
  for (std::size_t i = 0; i < clips.size(); ++i) finish(clips[i], works[i], decision);
}

// Without a device if it cannot be had: then each call says why.
dispatch::Decision DevicePart::forced() {
  try {
    return dispatch::choose({op, true, {}, [](const gpu::Limits&) { return nullptr; }});
  } catch (const DeviceError&) {
    return {};
  }
}

// One decision for all clips: small ones, each for itself, would add up to a wrong one, and the CPU
// would wait for a device that has a few of them. Later waves stay on the side of the first one
// that they follow, which keeps what they read again.
dispatch::Decision DevicePart::decide(const std::vector<Groups>& audios) {
  if (session_.decision) return *session_.decision;
  dispatch::Question all{op, true, {}, [](const gpu::Limits&) { return nullptr; }};
  all.load.calls = 0;
  bool followed = false;
  for (const Groups& groups : audios) {
    const auto calls = calls_of(groups);
    if (calls.empty()) continue;
    add_load(all.load, calls);
    ++all.load.calls;
    followed = followed || owner_of(calls_, calls);
  }
  dispatch::Decision decision = dispatch::choose(all);
  if (followed) session_.decision = decision;
  return decision;
}

void DevicePart::add_load(dispatch::Load& load, std::span<const std::size_t> calls) const {
  Index frames = 0;
  double in_bytes = 0;
  for (const std::size_t i : calls) {
    const ops::Cost cost = calls_[i]->cost();
    frames = std::max(frames, cost.frames);
    load.cost.flops += cost.flops;
    load.cost.bytes += cost.bytes;
    const auto task = calls_[i]->task();
    in_bytes = bytes_of(task->inputs());
    load.out_bytes += bytes_of(task->outputs());
  }
  load.cost.frames += frames;
  load.in_bytes += in_bytes;
}

// Calls without a kernel, or that a device declines, stay consumers on the CPU; where the GPU is
// asked for, the latter get the dispatcher's error.
void DevicePart::take_calls(Clip& clip, const gpu::Device* device) {
  std::vector<std::size_t> declined;
  for (const std::size_t i : calls_of(clip.groups)) {
    const bool taken = device && !calls_[i]->declines(gpu::info(*device).limits);
    (taken ? clip.calls : declined).push_back(i);
  }
  if (is_forced()) run_each_alone(clip.groups, declined);
}

gpu::Work DevicePart::work_of(Clip& clip) {
  for (const std::size_t i : clip.calls) clip.joined.add(calls_[i]->task());
  const auto samples = calls_[clip.calls[0]]->audio().single;
  const bool is_finite = session_.is_finite(std::as_bytes(samples));
  gpu::KeptAudio* const kept =
      session_.on_device(clip.groups[0]->consumers[0]->y(), owner_of(calls_, clip.calls));
  clip.own.is_read_again = false;
  return {&clip.joined, is_finite ? std::span<const float>() : samples, kept ? kept : &clip.own};
}

void DevicePart::finish(const Clip& clip, const gpu::Work& work, dispatch::Decision decision) {
  check_audio(nodes_, clip.groups, [&] {
    try {
      if (work.error) std::rethrow_exception(work.error);
      for (const std::size_t i : clip.calls) nodes_[i].side = "GPU";
      for (Group* group : clip.groups) group->drop(clip.calls);
      session_.note_finite(std::as_bytes(calls_[clip.calls[0]]->audio().single),
                           owner_of(calls_, clip.calls));
    } catch (const gpu::DeviceFailed& failure) {
      if (decision.forced)
        run_each_alone(clip.groups, clip.calls);
      else
        dispatch::report_failure(decision, op, failure);
    }
  });
}

// For the dispatcher's error of each.
void DevicePart::run_each_alone(const Groups& groups, const std::vector<std::size_t>& calls) {
  for (const std::size_t i : calls) {
    nodes_[i].side = "GPU", nodes_[i].pipeline = -1;
    run_alone_(i);
  }
  for (Group* group : groups) group->drop(calls);
}

std::vector<std::size_t> DevicePart::calls_of(const Groups& groups) const {
  std::vector<std::size_t> taken;
  for (const Group* group : groups)
    for (const std::size_t i : group->calls)
      if (calls_[i]->has_kernel() && !calls_[i]->audio().single.empty()) taken.push_back(i);
  return taken;
}

}  // namespace metalmom::graph
