#include "graph/run.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/workers.hpp"
#include "dispatch/joined.hpp"
#include "dispatch/setting.hpp"
#include "ops/core/pipeline.hpp"
#include "trace/trace.hpp"

namespace metalmom::graph {

namespace {

constexpr trace::Site graph_site{"graph", trace::Category::engine};

std::string text_of(const ops::Tap& tap) {
  using Value = ops::Tap::Value;
  const std::string precision = tap.wide ? ", transformed in double" : "";
  const auto power = [&] {
    return tap.power == 2   ? std::string("power")
           : tap.power == 1 ? std::string("magnitude")
                            : "magnitude^" + to_text(static_cast<double>(tap.power));
  };
  switch (tap.value) {
    case Value::samples:
      return "samples";
    case Value::powers:
      return power() + precision;
    case Value::bands:
      return std::to_string(tap.basis->n_bands()) + " bands of " + power() + precision;
    case Value::levels:
      return "levels of " + std::to_string(tap.basis->n_bands()) + " bands of " + power() +
             precision;
  }
  return {};
}

// Consumers of one precision, grouped by what they read.
template <class T>
class Pipelines {
 public:
  struct Group {
    std::vector<std::size_t> calls;
    std::vector<ops::Consumer<T>*> consumers;
  };

  void add(std::size_t call, std::unique_ptr<ops::Consumer<T>> consumer) {
    auto& of_audio = by_audio_[consumer->y().data];
    auto found = std::ranges::find_if(of_audio, [&](std::size_t i) {
      return ops::Pipeline<T>::fits(*groups_[i].consumers[0], *consumer);
    });
    if (found == of_audio.end()) {
      found = of_audio.insert(of_audio.end(), groups_.size());
      groups_.emplace_back();
    }
    groups_[*found].calls.push_back(call);
    groups_[*found].consumers.push_back(consumer.get());
    consumers_.push_back(std::move(consumer));
  }

  std::vector<Group>& groups() { return groups_; }

  // `kept_of(group)`: powers that its pipeline reads or leaves.
  template <class F>
  void run(ops::Transforms& transforms, F&& kept_of) {
    std::vector<ops::Pipeline<T>> pipelines;
    for (const Group& group : groups_)
      if (!group.consumers.empty())
        pipelines.emplace_back(group.consumers, transforms, kept_of(group));
    if (!pipelines.empty()) ops::run_pipelines<T>(pipelines);
  }

 private:
  std::vector<std::unique_ptr<ops::Consumer<T>>> consumers_;
  std::vector<Group> groups_;
  std::map<const T*, std::vector<std::size_t>> by_audio_;
};

class Run {
 public:
  Run(std::span<const Call* const> calls, Session& session, bool watched)
      : calls_(calls), session_(session), watched_(watched), nodes_(calls.size()) {}

  std::vector<Node> run() {
    trace::Span span(graph_site);
    for (std::size_t i = 0; i < calls_.size(); ++i) place(i);
    int pipeline = 0;
    for (auto& group : single_.groups()) describe(group, pipeline++);
    for (auto& group : wide_.groups()) describe(group, pipeline++);
    if (!on_cpu_)
      for (auto& group : single_.groups()) check_audio(group, [&] { take_to_gpu(group); });
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
    if (auto consumer = calls_[i]->single_consumer())
      single_.add(i, std::move(consumer));
    // Under a forced GPU float64, which no kernel takes, is refused as the dispatcher refuses it.
    else if (auto wide = calls_[i]->wide_consumer(); wide && !gpu_alone_)
      wide_.add(i, std::move(wide));
    else
      rest_.push_back(i);
  }

  template <class Group>
  void describe(const Group& group, int pipeline) {
    for (std::size_t k = 0; k < group.calls.size(); ++k)
      nodes_[group.calls[k]] = {
          pipeline, "CPU", watched_ ? text_of(group.consumers[k]->tap()) : std::string(), {}};
    counters().calls += group.calls.size();
  }

  // Samples are looked at once for all calls of a group; what is wrong with them is each one's error.
  template <class Group, class F>
  void check_audio(Group& group, F&& look) {
    try {
      look();
    } catch (const ParameterError&) {
      for (const std::size_t i : group.calls) nodes_[i].error = std::current_exception();
      group.calls.clear();
      group.consumers.clear();
    }
  }

  // Many short signals beside each other; of a long one, parts. What is to be read again by a call that
  // follows is looked at once.
  template <class Group, class Samples>
  void require_finite(std::vector<Group>& groups, Samples Audio::*samples) {
    const auto samples_of = [&](const Group& group) {
      return calls_[group.calls[0]]->audio().*samples;
    };
    parallel_for(static_cast<Index>(groups.size()), 1, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        Group& group = groups[static_cast<std::size_t>(i)];
        if (group.calls.empty() || session_.is_finite(std::as_bytes(samples_of(group)))) continue;
        check_audio(group, [&] { ops::require_finite(samples_of(group)); });
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

  // The calls of a group that have kernels, as one task, if the dispatcher wants them on a device.
  // What has none stays a consumer.
  void take_to_gpu(typename Pipelines<float>::Group& group) {
    std::vector<std::size_t> taken;
    for (const std::size_t i : group.calls)
      if (calls_[i]->task()) taken.push_back(i);
    if (taken.empty()) return;
    dispatch::Question question{"graph", true, {}, [&](const gpu::Limits& limits) {
                                  const char* reason = nullptr;
                                  for (const std::size_t i : taken)
                                    if (!reason) reason = calls_[i]->declines(limits);
                                  return reason;
                                }};
    std::vector<std::unique_ptr<gpu::Task>> tasks;
    for (const std::size_t i : taken) {
      tasks.push_back(calls_[i]->task());
      const ops::Cost cost = calls_[i]->cost();
      question.load.cost.frames = std::max(question.load.cost.frames, cost.frames);
      question.load.cost.flops += cost.flops;
      question.load.cost.bytes += cost.bytes;
    }
    const auto samples = calls_[taken[0]]->audio().single;
    bool refused = false;
    try {
      if (!dispatch::run_joined(std::move(tasks), std::move(question), samples)) return;
    } catch (const DeviceError&) {
      refused = true;
    }
    for (const std::size_t i : taken) {
      nodes_[i].side = "GPU";
      // Refused together: each by itself works, or has its own error in its own words.
      if (refused) nodes_[i].pipeline = -1, run_alone(i);
      const auto at = std::ranges::find(group.calls, i) - group.calls.begin();
      group.calls.erase(group.calls.begin() + at);
      group.consumers.erase(group.consumers.begin() + at);
    }
  }

  // What reads no frames: many small calls beside each other, else each in parallel by itself. Only
  // the calling thread knows its settings: where a device may be chosen, calls stay on it.
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

  // Into the trace, a point for each call that a pipeline did: on which side. The others have spans.
  void tell() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].pipeline < 0) continue;
      const bool on_gpu = std::string_view(nodes_[i].side) == "GPU";
      trace::event({calls_[i]->name().data(), trace::Category::engine},
                   {{"backend", on_gpu ? "gpu" : "cpu"},
                    {"reason", calls_[i]->task() ? "together" : "no GPU kernel"}});
    }
  }

  void run_alone(std::size_t i) {
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
  const bool on_cpu_ = dispatch::current_setting()->backend == dispatch::Backend::cpu;
  const bool gpu_alone_ = dispatch::current_setting()->backend == dispatch::Backend::gpu;
  std::vector<Node> nodes_;
  ops::Transforms transforms_;
  Pipelines<float> single_;
  Pipelines<double> wide_;
  std::vector<std::size_t> rest_;
};

}  // namespace

ops::KeptPowers<float> Session::powers_of(
    const ops::Consumer<float>& consumer,
    const std::shared_ptr<const dsp::FrameTransform<float>>& transform, bool is_followed) {
  const auto& frames = consumer.frames();
  for (const auto& each : kept_)
    if (each->y == consumer.y().data && each->frames.batch == frames.batch &&
        each->frames.n_samples == frames.n_samples && each->frames.params == frames.params &&
        each->transform == transform)
      return {each->squares.data(), true};
  const Index values = consumer.blocks().total() * dsp::block_frames * frames.n_bins;
  if (!is_followed || values_ + values > most_values) return {};
  values_ += values;
  kept_.push_back(std::make_unique<Kept>(Kept{
      consumer.y().data, frames, transform, Buffer<float>(static_cast<std::size_t>(values))}));
  return {kept_.back()->squares.data(), false};
}

std::vector<Node> run_together(std::span<const Call* const> calls, Session& session,
                               bool watched) {
  return Run(calls, session, watched).run();
}

}  // namespace metalmom::graph
