#include "graph/run.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/counter_sum.hpp"
#include "base/error.hpp"
#include "base/workers.hpp"
#include "dispatch/setting.hpp"
#include "graph/device_part.hpp"
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
    if (watched_) read_clocks();  // the first reading decides what ticks are
    for (std::size_t i = 0; i < calls_.size(); ++i) place(i);
    int pipeline = 0;
    for (auto& group : single_.groups()) describe(group, pipeline++);
    for (auto& group : wide_.groups()) describe(group, pipeline++);
    DevicePart device(calls_, session_, nodes_, [this](std::size_t i) { run_alone(i); });
    const std::int64_t begin_ns = monotonic_ns();
    device.run(single_);
    note_times("GPU", begin_ns);
    run_tasks();
    check_results();
    if (span.on()) tell();
    span.arg("calls", static_cast<std::int64_t>(calls_.size()));
    return std::move(nodes_);
  }

 private:
  void place(std::size_t i) {
    // Under a forced GPU that was not built every call is refused as the dispatcher refuses it.
    if (gpu_alone_ && !gpu::built) {
      rest_.push_back(i);
    } else if (auto consumer = calls_[i]->single_consumer()) {
      single_.add(i, prepared(std::move(consumer), i));
      // Under a forced GPU float64, which no kernel takes, is refused as the dispatcher refuses it.
    } else if (auto wide = calls_[i]->wide_consumer(); wide && !gpu_alone_) {
      wide_.add(i, prepared(std::move(wide), i));
    } else {
      rest_.push_back(i);
    }
  }

  template <class T>
  std::unique_ptr<ops::Consumer<T>> prepared(std::unique_ptr<ops::Consumer<T>> consumer,
                                             std::size_t i) const {
    if (!names_.empty()) consumer->be_node(names_[i]);
    if (watched_) consumer->be_timed(ticks);
    return consumer;
  }

  template <class Group>
  void describe(const Group& group, int pipeline) {
    for (std::size_t k = 0; k < group.calls.size(); ++k)
      nodes_[group.calls[k]] = {
          .pipeline = pipeline,
          .side = "CPU",
          .reads = watched_ ? values_of(group.consumers[k]->tap()) : std::vector<std::string>()};
    counters().calls += group.calls.size();
  }

  template <class Group>
  void note_spent(const Group& group) {
    for (std::size_t k = 0; k < group.calls.size(); ++k)
      nodes_[group.calls[k]].spent = group.consumers[k]->spent();
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
        check_audio(nodes_, std::vector{&group}, [&] { ops::require_finite(samples_of(group)); });
      }
    });
    for (const Group& group : groups)
      if (const Owner owner = owner_of(calls_, group.calls))
        session_.note_finite(std::as_bytes(samples_of(group)), owner);
  }

  ops::KeptPowers<float> kept_of(const Pipelines<float>::Group& group) {
    const auto transformed = std::ranges::find_if(group.consumers, [](const auto* each) {
      return each->tap().value != ops::Tap::Value::samples && !each->tap().wide;
    });
    if (transformed == group.consumers.end()) return {};
    const ops::Consumer<float>& one = **transformed;
    return session_.powers_of(one, transforms_.of<float>(one.frames().params.n_fft, one.window()),
                              owner_of(calls_, group.calls));
  }

  // Runs the calls that read no frames side by side, with all pipelines as one more task. That task
  // comes last: other threads can join its loops at any time, while a call may begin with long work
  // of one thread.
  void run_tasks() {
    const Index pipelines = single_.groups().empty() && wide_.groups().empty() ? 0 : 1;
    const Index calls = std::ssize(rest_);
    CounterSum sum;
    parallel_tasks(calls + pipelines, [&](Index i) {
      const CounterSum::Share share(sum);
      const dispatch::SettingScope set(setting_);
      if (i < calls)
        run_alone(rest_[static_cast<std::size_t>(i)]);
      else
        run_pipelines();
    });
    sum.give();
  }

  void run_pipelines() {
    const std::int64_t begin_ns = monotonic_ns();
    require_finite(single_.groups(), &Audio::single);
    require_finite(wide_.groups(), &Audio::wide);
    single_.run(transforms_, [&](const auto& group) { return kept_of(group); });
    wide_.run(transforms_, [](const auto&) { return ops::KeptPowers<double>{}; });
    for (const auto& group : single_.groups()) note_spent(group);
    for (const auto& group : wide_.groups()) note_spent(group);
    note_times("CPU", begin_ns);
  }

  void check_results() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].pipeline < 0 || nodes_[i].error) continue;
      try {
        calls_[i]->check_results();
      } catch (const ParameterError&) {
        nodes_[i].error = std::current_exception();
      }
    }
  }

  // The calls of pipelines that ran on one side ran from `begin_ns` until now.
  void note_times(std::string_view side, std::int64_t begin_ns) {
    const std::int64_t end_ns = monotonic_ns();
    for (Node& node : nodes_)
      if (node.pipeline >= 0 && side == node.side) node.begin_ns = begin_ns, node.end_ns = end_ns;
  }

  // Writes into the trace which side each call of a pipeline ran on. The other calls have spans.
  void tell() const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].pipeline < 0) continue;
      const bool on_gpu = std::string_view(nodes_[i].side) == "GPU";
      trace::event({calls_[i]->name().data(), trace::Category::engine},
                   {{"node", names_.empty() ? "" : names_[i]},
                    {"backend", on_gpu ? "gpu" : "cpu"},
                    {"reason", calls_[i]->has_kernel() ? "together" : "no GPU kernel"}});
    }
  }

  void run_alone(std::size_t i) {
    std::optional<trace::Span> span;
    if (!names_.empty()) span.emplace(trace::Site{names_[i], trace::Category::engine});
    nodes_[i].begin_ns = monotonic_ns();
    try {
      calls_[i]->run();
    } catch (const ParameterError&) {
      nodes_[i].error = std::current_exception();
    } catch (const DeviceError&) {
      nodes_[i].error = std::current_exception();
    }
    nodes_[i].end_ns = monotonic_ns();
  }

  std::span<const Call* const> calls_;
  Session& session_;
  const bool watched_;
  const std::span<const char* const> names_;
  const std::shared_ptr<const dispatch::Setting> setting_ = dispatch::current_setting();
  const bool gpu_alone_ = setting_->backend == dispatch::Backend::gpu;
  std::vector<Node> nodes_;
  ops::Transforms transforms_;
  Pipelines<float> single_;
  Pipelines<double> wide_;
  std::vector<std::size_t> rest_;
};

}  // namespace

std::vector<Node> run_together(std::span<const Call* const> calls, Session& session, bool watched,
                               std::span<const char* const> names) {
  return Run(calls, session, watched, names).run();
}

}  // namespace metalmom::graph
