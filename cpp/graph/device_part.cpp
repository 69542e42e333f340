#include "graph/device_part.hpp"

#include <algorithm>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/error.hpp"
#include "base/workers.hpp"
#include "dispatch/joined.hpp"
#include "gpu/device.hpp"
#include "gpu/run/joined_task.hpp"

namespace metalmom::graph {

namespace {

constexpr std::string_view op = "graph";

double bytes_of(std::span<const gpu::HostArray> arrays) {
  double bytes = 0;
  for (const gpu::HostArray& each : arrays) bytes += static_cast<double>(each.bytes());
  return bytes;
}

// A decision with the device that was chosen, or is asked for; without one if it cannot be had:
// then each call says why.
dispatch::Decision with_device(const dispatch::Decision& decision) {
  if (decision.device) return decision;
  try {
    return dispatch::choose({op, true, {}, [](const gpu::Limits&) { return nullptr; }});
  } catch (const DeviceError&) {
    return decision;
  }
}

}  // namespace

Owner owner_of(std::span<const Call* const> calls, std::span<const std::size_t> some) {
  for (const std::size_t i : some)
    if (const Owner& owner = calls[i]->audio_owner()) return owner;
  return nullptr;
}

// A clip that shares submissions with others.
struct DevicePart::ShortClip {
  std::vector<Group*> groups;
  std::vector<std::size_t> calls;
  gpu::JoinedTask joined;
  gpu::ClipTask task;
};

DevicePart::DevicePart(std::span<const Call* const> calls, Session& session,
                       std::vector<Node>& nodes, std::function<void(std::size_t)> run_alone)
    : calls_(calls), session_(session), nodes_(nodes), run_alone_(std::move(run_alone)) {}

void DevicePart::run(Pipelines<float>& pipelines) {
  if (setting_->backend == dispatch::Backend::cpu) return;
  Clips clips = pipelines.groups_of_each_audio();
  if (clips.empty()) return;
  dispatch::Decision decision;
  if (setting_->backend == dispatch::Backend::automatic) {
    decision = decide(clips);
    if (!decision.device) return;
  }
  run_clips(clips, decision);
}

// One decision for all clips: small ones, each for itself, would add up to a wrong one, and the CPU
// would wait for a device that has a few of them. Later waves stay on the side of the first one
// that they follow, which keeps what they read again.
dispatch::Decision DevicePart::decide(const Clips& clips) {
  dispatch::Question all;
  bool followed = false;
  for (const auto& groups : clips) {
    const auto taken = calls_of(groups);
    if (taken.empty()) continue;
    const dispatch::Load load = question_of(taken).load;
    all.load.cost.frames += load.cost.frames;
    all.load.cost.flops += load.cost.flops;
    all.load.cost.bytes += load.cost.bytes;
    all.load.in_bytes += load.in_bytes;
    all.load.out_bytes += load.out_bytes;
    followed = followed || owner_of(calls_, taken);
  }
  if (session_.decision) return *session_.decision;
  all.op = op;
  all.load.calls = std::ssize(clips);
  all.declines = [](const gpu::Limits&) { return nullptr; };
  dispatch::Decision decision = dispatch::choose(all);
  if (followed) session_.decision = decision;
  return decision;
}

// Many clips that are too long to share submissions go to a device side by side: each waits for its
// own upload and kernels, whose times of short clips are mostly waiting. Of few clips each keeps
// all threads busy itself.
void DevicePart::run_clips(Clips& clips, const dispatch::Decision& decision) {
  run_short(clips, decision);
  const auto run_some = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      auto& groups = clips[static_cast<std::size_t>(i)];
      check_audio(nodes_, groups, [&] {
        dispatch::Decision own = decision;
        if (own.device)
          run_together(groups, own);
        else
          run_forced(groups);
      });
    }
  };
  const Index count = std::ssize(clips);
  if (count < 2 * thread_count()) return run_some(0, count);
  CounterSum sum;
  parallel_for(count, 1, [&](Index first, Index last) {
    const CounterSum::Share share(sum);
    const dispatch::SettingScope set(setting_);
    run_some(first, last);
  });
  sum.give();
}

// Null for a long clip, and if the device declines any of its calls.
std::unique_ptr<DevicePart::ShortClip> DevicePart::short_clip(const std::vector<Group*>& groups,
                                                              const gpu::Device& device) {
  auto clip = std::make_unique<ShortClip>(groups, calls_of(groups));
  const auto& calls = clip->calls;
  if (calls.empty() ||
      std::ranges::any_of(calls, [&](std::size_t i) { return is_declined(device, i); }))
    return nullptr;
  for (auto& each : tasks_of(calls)) clip->joined.add(std::move(each));
  gpu::KeptAudio* const kept = session_.on_device(groups[0]->consumers[0]->y(), owner_of(calls_, calls));
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
      session_.note_finite(std::as_bytes(calls_[clip->calls[0]]->audio().single),
                           owner_of(calls_, clip->calls));
    });
  clips = std::move(others);
}

// Where the GPU is asked for: if it does not take all calls on an audio together, each group is
// offered by itself; a call that is then refused gets the dispatcher's error for it alone.
void DevicePart::run_forced(const std::vector<Group*>& groups) {
  const auto offered = [&](const std::vector<Group*>& some) {
    const auto taken = calls_of(some);
    if (taken.empty()) return true;
    try {
      dispatch::Decision decision = dispatch::choose(question_of(taken));
      return run_together(some, decision);
    } catch (const DeviceError&) {
      if (some.size() > 1) return false;
      for (const std::size_t i : taken) {
        nodes_[i].side = "GPU", nodes_[i].pipeline = -1;
        run_alone_(i);
      }
      for (Group* group : some) group->drop(taken);
      return true;
    }
  };
  if (offered(groups) || groups.size() == 1) return;
  for (Group* group : groups) offered({group});
}

// Calls without a kernel, or that a device declines, stay consumers on the CPU.
bool DevicePart::run_together(const std::vector<Group*>& groups, dispatch::Decision& decision) {
  auto taken = calls_of(groups);
  if (decision.device)
    std::erase_if(taken, [&](std::size_t i) { return is_declined(*decision.device, i); });
  if (taken.empty()) return true;
  if (!run_tasks(taken, *groups[0]->consumers[0], decision)) return false;
  for (const std::size_t i : taken) nodes_[i].side = "GPU";
  for (Group* group : groups) group->drop(taken);
  return true;
}

bool DevicePart::run_tasks(const std::vector<std::size_t>& taken, const ops::Consumer<float>& first,
                           dispatch::Decision& decision) {
  const auto locked = [&](auto&& look) {
    std::lock_guard lock(session_mutex_);
    return look();
  };
  const Owner owner = owner_of(calls_, taken);
  const auto samples = calls_[taken[0]]->audio().single;
  const auto bytes = std::as_bytes(samples);
  const auto [kept, is_finite] = locked([&] {
    return std::pair(session_.on_device(first.y(), owner), session_.is_finite(bytes));
  });
  if (!dispatch::run_joined(tasks_of(taken), op, decision,
                            is_finite ? std::span<const float>() : samples, kept))
    return false;
  if (owner) locked([&] { session_.note_finite(bytes, owner); });
  return true;
}

std::vector<std::size_t> DevicePart::calls_of(const std::vector<Group*>& groups) const {
  std::vector<std::size_t> taken;
  for (const Group* group : groups)
    for (const std::size_t i : group->calls)
      if (calls_[i]->has_kernel() && !calls_[i]->audio().single.empty()) taken.push_back(i);
  return taken;
}

bool DevicePart::is_declined(const gpu::Device& device, std::size_t call) const {
  return calls_[call]->declines(gpu::info(device).limits) != nullptr;
}

dispatch::Tasks DevicePart::tasks_of(std::span<const std::size_t> taken) const {
  dispatch::Tasks tasks;
  for (const std::size_t i : taken) tasks.push_back(calls_[i]->task());
  return tasks;
}

dispatch::Question DevicePart::question_of(std::span<const std::size_t> taken) const {
  dispatch::Question question{op, true, {}, [this, taken](const gpu::Limits& limits) {
                                const char* reason = nullptr;
                                for (const std::size_t i : taken)
                                  if (!reason) reason = calls_[i]->declines(limits);
                                return reason;
                              }};
  dispatch::Load& load = question.load;
  for (const std::size_t i : taken) {
    const ops::Cost cost = calls_[i]->cost();
    load.cost.frames = std::max(load.cost.frames, cost.frames);
    load.cost.flops += cost.flops;
    load.cost.bytes += cost.bytes;
    const auto task = calls_[i]->task();
    load.in_bytes = bytes_of(task->inputs());
    load.out_bytes += bytes_of(task->outputs());
  }
  return question;
}

}  // namespace metalmom::graph
