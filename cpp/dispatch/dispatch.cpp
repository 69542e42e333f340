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

bool run_on_device(Decision& decision, std::string_view op, const gpu::Task& task,
                   std::span<const float> unchecked) {
  if (!decision.device) return false;
  try {
    gpu::run_streamed(*decision.device, task, unchecked);
    return true;
  } catch (const gpu::DeviceFailed& failure) {
    if (decision.forced) throw;
    report_failure(decision, op, failure);
    return false;
  }
}

void report_decision(trace::Span& span, const Decision& decision, const ops::Cost& cost) {
  span.arg("backend", decision.device ? "gpu" : "cpu");
  span.arg("reason", decision.reason);
  if (decision.cpu_ms > 0) span.arg("predicted_cpu_ms", decision.cpu_ms);
  if (decision.gpu_ms > 0) span.arg("predicted_gpu_ms", decision.gpu_ms);
  span.arg("frames", cost.frames);
  span.arg("bytes", static_cast<std::int64_t>(cost.bytes));
  span.arg("threads", static_cast<std::int64_t>(thread_count()));
}

}  // namespace metalmom::dispatch
