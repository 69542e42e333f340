#include "dispatch/dispatch.hpp"

namespace metalmom::dispatch {

void CounterArgs::report(trace::Span& span) const {
  const Counters& now = counters();
  const auto gain = [&](const char* key, std::uint64_t Counters::*member) {
    if (const auto gained = now.*member - before_.*member)
      span.arg(key, static_cast<std::int64_t>(gained));
  };
  gain("allocations", &Counters::allocations);
  gain("plan_builds", &Counters::plan_builds);
  gain("pipeline_builds", &Counters::pipeline_builds);
  gain("cache_hits", &Counters::cache_hits);
  gain("cache_misses", &Counters::cache_misses);
  gain("submits", &Counters::submits);
  gain("uploaded_bytes", &Counters::uploaded_bytes);
  gain("downloaded_bytes", &Counters::downloaded_bytes);
}

bool run_on_devices(Decision& decision, std::string_view op, const gpu::Task& task,
                    std::span<const float> unchecked, gpu::KeptAudio* kept) {
  while (!decision.devices.empty()) {
    try {
      const Stopwatch watch;
      gpu::run_streamed(decision.devices, task, unchecked, kept);
      decision.note_taken(Side::gpu, watch.ms());
      return true;
    } catch (const gpu::DeviceFailed& failure) {
      if (kept) kept->shares.clear();
      if (decision.forced) throw;
      report_failure(decision, op, failure);
      decision.expected.reset();
    }
  }
  return false;
}

namespace {

std::string indices_text(const std::vector<gpu::Device*>& devices) {
  std::string text;
  for (const gpu::Device* each : devices) {
    if (!text.empty()) text += ',';
    text += std::to_string(gpu::info(*each).index);
  }
  return text;
}

}  // namespace

void report_decision(trace::Span& span, const Decision& decision, const ops::Cost& cost) {
  span.arg("backend", decision.devices.empty() ? "cpu" : "gpu");
  if (decision.devices.size() > 1)
    span.arg("devices", trace::intern(indices_text(decision.devices)));
  span.arg("reason", decision.reason);
  if (decision.cpu_ms > 0) span.arg("predicted_cpu_ms", decision.cpu_ms);
  if (decision.gpu_ms > 0) span.arg("predicted_gpu_ms", decision.gpu_ms);
  span.arg("frames", cost.frames);
  span.arg("bytes", static_cast<std::int64_t>(cost.bytes));
  span.arg("threads", static_cast<std::int64_t>(thread_count()));
}

}  // namespace metalmom::dispatch
