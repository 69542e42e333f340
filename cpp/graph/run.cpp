#include "graph/run.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/error.hpp"
#include "base/memory_limits.hpp"
#include "base/workers.hpp"
#include "dispatch/joined.hpp"
#include "dispatch/setting.hpp"
#include "graph/pipelines.hpp"
#include "graph/tap_text.hpp"
#include "ops/core/pipeline.hpp"
#include "trace/trace.hpp"

namespace metalmom::graph {

namespace {

constexpr trace::Site graph_site{"graph", trace::Category::engine};

class Run {
  using Group = Pipelines<float>::Group;

 public:
  Run(std::span<const Call* const> calls, Session& session, bool watched,
      std::span<const char* const> names)
      : calls_(calls), session_(session), watched_(watched), names_(names), nodes_(calls.size()) {}

  std::vector<Node> run() {
    trace::Span span(graph_site);
    for (std::size_t i = 0; i < calls_.size(); ++i) place(i);
    int pipeline = 0;
    for (auto& group : single_.groups()) describe(group, pipeline++);
    for (auto& group : wide_.groups()) describe(group, pipeline++);
    if (!on_cpu_) take_all_to_gpu();
    require_finite(single_.groups(), &Audio::single);
    require_finite(wide_.groups(), &Audio::wide);
    single_.run(transforms_, [&](const auto& group) { return kept_of(group); });
    wide_.run(transforms_, [](const auto&) { return ops::KeptPowers<double>{}; });
    run_rest();
    if (span.on()) tell();
    span.arg("calls", static_cast<std::int64_t>(calls_.size()));
    return std::move(nodes_);
  }

 private:
  void place(std::size_t i) {
    if (auto consumer = calls_[i]->single_consumer()) {
      if (!names_.empty()) consumer->be_node(names_[i]);
      single_.add(i, std::move(consumer));
    // Under a forced GPU float64, which no kernel takes, is refused as the dispatcher refuses it.
    } else if (auto wide = calls_[i]->wide_consumer(); wide && !gpu_alone_) {
      if (!names_.empty()) wide->be_node(names_[i]);
      wide_.add(i, std::move(wide));
    } else {
      rest_.push_back(i);
    }
  }

  template <class Group>
  void describe(const Group& group, int pipeline) {
    for (std::size_t k = 0; k < group.calls.size(); ++k)
      nodes_[group.calls[k]] = {
          pipeline, "CPU", watched_ ? text_of(group.consumers[k]->tap()) : std::string(), {}};
    counters().calls += group.calls.size();
  }

  // Calls `look`, which checks the samples that these groups read. If they are not finite, that is
  // the error of each of their calls.
  template <class Group, class F>
  void check_audio(const std::vector<Group*>& groups, F&& look) {
    try {
      look();
    } catch (const ParameterError&) {
      for (Group* group : groups) {
        for (const std::size_t i : group->calls) nodes_[i].error = std::current_exception();
        group->calls.clear();
        group->consumers.clear();
      }
    }
  }

  // Checks all signals in parallel: short signals side by side, a long one in parts. Samples that a
  // later wave reads again are noted as finite and not checked again.
  template <class Group, class Samples>
  void require_finite(std::vector<Group>& groups, Samples Audio::*samples) {
    const auto samples_of = [&](const Group& group) {
      return calls_[group.calls[0]]->audio().*samples;
    };
    parallel_for(static_cast<Index>(groups.size()), 1, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        Group& group = groups[static_cast<std::size_t>(i)];
        if (group.calls.empty() || session_.is_finite(std::as_bytes(samples_of(group)))) continue;
        check_audio(std::vector{&group}, [&] { ops::require_finite(samples_of(group)); });
      }
    });
    for (const Group& group : groups)
      if (is_followed(group)) session_.note_finite(std::as_bytes(samples_of(group)));
  }

  template <class Group>
  bool is_followed(const Group& group) const {
    return std::ranges::any_of(group.calls, [&](std::size_t i) { return calls_[i]->is_followed(); });
  }

  ops::KeptPowers<float> kept_of(const Pipelines<float>::Group& group) {
    const auto transformed = std::ranges::find_if(group.consumers, [](const auto* each) {
      return each->tap().value != ops::Tap::Value::samples && !each->tap().wide;
    });
    if (transformed == group.consumers.end()) return {};
    const ops::Consumer<float>& one = **transformed;
    return session_.powers_of(one, transforms_.of<float>(one.frames().params.n_fft, one.window()),
                              is_followed(group));
  }

  // Many clips go to a device side by side: each waits for its own upload and kernels, whose times
  // of short clips are mostly waiting. Of few clips each keeps all threads busy itself.
  void take_all_to_gpu() {
    auto clips = single_.groups_of_each_audio();
    const auto take = [&](Index first, Index last) {
      for (auto& groups : std::span(clips).subspan(static_cast<std::size_t>(first),
                                                   static_cast<std::size_t>(last - first)))
        check_audio(groups, [&] { take_to_gpu(groups); });
    };
    const Index count = std::ssize(clips);
    if (count < 2 * thread_count()) return take(0, count);
    CounterSum sum;
    const MemoryLimits limits = scoped_memory_limits();
    parallel_for(count, 1, [&](Index first, Index last) {
      const CounterSum::Share share(sum);
      const MemoryLimitsScope limited(limits);
      const dispatch::SettingScope set(setting_);
      take(first, last);
    });
    sum.give();
  }

  // Offers the calls on one audio that have kernels to a device as one task, with one upload. If
  // the device does not take them all, each group is offered by itself; a call that is then refused
  // gets the dispatcher's error for it alone.
  void take_to_gpu(const std::vector<Group*>& groups) {
    if (taken_together(groups) || groups.size() == 1) return;
    for (Group* group : groups) taken_together({group});
  }

  // The session is changed by one thread at a time.
  template <class F>
  auto locked(F&& look) {
    std::lock_guard lock(session_mutex_);
    return look();
  }

  // Calls without a kernel stay consumers on the CPU.
  bool taken_together(const std::vector<Group*>& groups) {
    std::vector<std::size_t> taken;
    bool followed = false;
    for (const Group* group : groups)
      for (const std::size_t i : group->calls) {
        if (!calls_[i]->task()) continue;
        taken.push_back(i);
        followed = followed || calls_[i]->is_followed();
      }
    if (taken.empty()) return true;
    const auto samples = calls_[taken[0]]->audio().single;
    const auto bytes = std::as_bytes(samples);
    const auto [kept, is_finite] = locked([&] {
      return std::pair(session_.on_device(groups[0]->consumers[0]->y(), followed),
                       session_.is_finite(bytes));
    });
    try {
      if (!dispatch::run_joined(tasks_of(taken), question_of(taken),
                                is_finite ? std::span<const float>() : samples, kept))
        return false;
      if (followed) locked([&] { session_.note_finite(bytes); });
      for (const std::size_t i : taken) nodes_[i].side = "GPU";
    } catch (const DeviceError&) {
      if (groups.size() > 1) return false;
      for (const std::size_t i : taken) nodes_[i].side = "GPU", nodes_[i].pipeline = -1, run_alone(i);
    }
    for (Group* group : groups) group->drop(taken);
    return true;
  }

  std::vector<std::unique_ptr<gpu::Task>> tasks_of(std::span<const std::size_t> taken) const {
    std::vector<std::unique_ptr<gpu::Task>> tasks;
    for (const std::size_t i : taken) tasks.push_back(calls_[i]->task());
    return tasks;
  }

  dispatch::Question question_of(std::span<const std::size_t> taken) const {
    dispatch::Question question{"graph", true, {}, [this, taken](const gpu::Limits& limits) {
                                  const char* reason = nullptr;
                                  for (const std::size_t i : taken)
                                    if (!reason) reason = calls_[i]->declines(limits);
                                  return reason;
                                }};
    for (const std::size_t i : taken) {
      const ops::Cost cost = calls_[i]->cost();
      question.load.cost.frames = std::max(question.load.cost.frames, cost.frames);
      question.load.cost.flops += cost.flops;
      question.load.cost.bytes += cost.bytes;
    }
    return question;
  }

  // Runs the calls that read no frames: many of them side by side, a few one after the other, each
  // parallel in itself. Settings belong to the calling thread, so calls that may choose a device
  // stay on it.
  void run_rest() {
    auto run_some = [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) run_alone(rest_[static_cast<std::size_t>(i)]);
    };
    const auto count = static_cast<Index>(rest_.size());
    if (on_cpu_ && count >= 2 * thread_count())
      parallel_for(count, 1, run_some);
    else
      run_some(0, count);
  }

  // Writes into the trace which side each call of a pipeline ran on. The other calls have spans.
  void tell() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].pipeline < 0) continue;
      const bool on_gpu = std::string_view(nodes_[i].side) == "GPU";
      trace::event({calls_[i]->name().data(), trace::Category::engine},
                   {{"node", names_.empty() ? "" : names_[i]},
                    {"backend", on_gpu ? "gpu" : "cpu"},
                    {"reason", calls_[i]->task() ? "together" : "no GPU kernel"}});
    }
  }

  void run_alone(std::size_t i) {
    std::optional<trace::Span> span;
    if (!names_.empty()) span.emplace(trace::Site{names_[i], trace::Category::engine});
    try {
      calls_[i]->run();
    } catch (const ParameterError&) {
      nodes_[i].error = std::current_exception();
    } catch (const DeviceError&) {
      nodes_[i].error = std::current_exception();
    }
  }

  std::span<const Call* const> calls_;
  Session& session_;
  const bool watched_;
  const std::span<const char* const> names_;
  const std::shared_ptr<const dispatch::Setting> setting_ = dispatch::current_setting();
  const bool on_cpu_ = setting_->backend == dispatch::Backend::cpu;
  const bool gpu_alone_ = setting_->backend == dispatch::Backend::gpu;
  std::mutex session_mutex_;
  std::vector<Node> nodes_;
  ops::Transforms transforms_;
  Pipelines<float> single_;
  Pipelines<double> wide_;
  std::vector<std::size_t> rest_;
};

}  // namespace

std::vector<Node> run_together(std::span<const Call* const> calls, Session& session,
                               bool watched, std::span<const char* const> names) {
  return Run(calls, session, watched, names).run();
}

}  // namespace metalmom::graph
