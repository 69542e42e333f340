#include "dispatch/dispatch.hpp"

namespace metalmom::dispatch {

void CounterArgs::report(trace::Span& span) const {
  for (const auto& [name, member] : all_counters) {
    const auto gained = counters().*member - before_.*member;
    if (gained && member != &Counters::calls) span.arg(name, static_cast<std::int64_t>(gained));
  }
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
