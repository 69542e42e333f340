// The part of a run that goes to a device: calls on the same audio are one task there, with one upload.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dispatch/setting.hpp"
#include "graph/pipelines.hpp"
#include "graph/run.hpp"

namespace metalmom::graph {

// Who owns the audio of some calls, where later ones read it again; else null.
Owner owner_of(std::span<const Call* const> calls, std::span<const std::size_t> some);

// Calls `look`, which checks the samples that these groups read. If they are not finite, that is the
// error of each of their calls.
template <class Group, class F>
void check_audio(std::vector<Node>& nodes, const std::vector<Group*>& groups, F&& look) {
  try {
    look();
  } catch (const ParameterError&) {
    for (Group* group : groups) {
      for (const std::size_t i : group->calls) nodes[i].error = std::current_exception();
      group->calls.clear();
      group->consumers.clear();
    }
  }
}

class DevicePart {
 public:
  using Group = Pipelines<float>::Group;

  // `run_alone` runs one call by itself, for the dispatcher's error.
  DevicePart(std::span<const Call* const> calls, Session& session, std::vector<Node>& nodes,
             std::function<void(std::size_t)> run_alone);

  // Runs what a device takes of these pipelines, and takes it out of them.
  void run(Pipelines<float>& pipelines);

 private:
  using Clips = std::vector<std::vector<Group*>>;
  struct ShortClip;

  dispatch::Decision decide(const Clips& clips);
  void run_clips(Clips& clips, const dispatch::Decision& decision);
  void run_short(Clips& clips, const dispatch::Decision& decision);
  void run_forced(const std::vector<Group*>& groups);
  bool run_together(const std::vector<Group*>& groups, dispatch::Decision& decision);
  bool run_tasks(const std::vector<std::size_t>& taken, const ops::Consumer<float>& first,
                 dispatch::Decision& decision);

  std::vector<std::size_t> calls_of(const std::vector<Group*>& groups) const;
  bool is_declined(const gpu::Device& device, std::size_t call) const;
  std::unique_ptr<ShortClip> short_clip(const std::vector<Group*>& groups,
                                        const gpu::Device& device);
  dispatch::Question question_of(std::span<const std::size_t> taken) const;
  dispatch::Tasks tasks_of(std::span<const std::size_t> taken) const;

  std::span<const Call* const> calls_;
  Session& session_;
  std::mutex session_mutex_;  // it is changed by one thread at a time
  std::vector<Node>& nodes_;
  const std::function<void(std::size_t)> run_alone_;
  const std::shared_ptr<const dispatch::Setting> setting_ = dispatch::current_setting();
};

}  // namespace metalmom::graph
