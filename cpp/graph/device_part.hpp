// The part of a run that goes to a device: calls on the same audio are one task there, with one
// upload.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dispatch/choice.hpp"
#include "dispatch/setting.hpp"
#include "graph/pipelines.hpp"
#include "graph/run.hpp"

namespace metalmom::graph {

// Who owns the audio of some calls, where later ones read it again; else null.
Owner owner_of(std::span<const Call* const> calls, std::span<const std::size_t> some);

// Calls `look`, which checks the samples that these groups read. If they are not finite, that is
// the error of each of their calls.
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
  using Groups = std::vector<Group*>;
  struct Clip;

  bool is_forced() const { return setting_->backend == dispatch::Backend::gpu; }
  static dispatch::Decision forced();
  dispatch::Decision decide(const std::vector<Groups>& audios);
  void add_load(dispatch::Load& load, std::span<const std::size_t> calls) const;
  void take_calls(Clip& clip, const gpu::Device* device);
  gpu::Work work_of(Clip& clip);
  void finish(const Clip& clip, const gpu::Work& work, dispatch::Decision decision);
  void run_each_alone(const Groups& groups, const std::vector<std::size_t>& calls);

  std::vector<std::size_t> calls_of(const Groups& groups) const;

  std::span<const Call* const> calls_;
  Session& session_;
  std::vector<Node>& nodes_;
  const std::function<void(std::size_t)> run_alone_;
  const std::shared_ptr<const dispatch::Setting> setting_ = dispatch::current_setting();
};

}  // namespace metalmom::graph
