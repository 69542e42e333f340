// The one place where an op meets a backend: choose, open the engine span, run, fall back.
#pragma once

#include <span>
#include <utility>

#include "base/counters.hpp"
#include "base/workers.hpp"
#include "dispatch/choice.hpp"
#include "dispatch/setting.hpp"
#include "gpu/device.hpp"
#include "gpu/kernels/all.hpp"
#include "gpu/run/run.hpp"
#include "ops/op.hpp"
#include "trace/trace.hpp"

namespace metalmom::dispatch {

template <class Op>
inline constexpr trace::Site engine_site{Op::name.data(), trace::Category::engine};

template <class Op>
inline constexpr bool has_kernel = gpu::built&& gpu::Kernel<Op>::exists;

// Whether the CPU has several ways to run the op, and the plan says which and why.
template <class Op>
inline constexpr bool has_ways = requires(const typename Op::Plan& plan) {
  Op::describe(plan, [](const char*, auto) {});
};

// Adds what this thread's counters gained over a call to its span.
class CounterArgs {
 public:
  CounterArgs() : before_(counters()) {}
  void report(trace::Span& span) const;

 private:
  Counters before_;
};

// Adds the backend, why it was chosen, and the predictions behind it.
void report_decision(trace::Span& span, const Decision& decision, const ops::Cost& cost);

// Runs a task on the device of a decision. Returns false where none was chosen, or where it failed
// under "auto".
bool run_on_device(Decision& decision, std::string_view op, const gpu::Task& task,
                   std::span<const float> unchecked);

template <class Op>
Question question_of(const typename Op::Plan& plan, const gpu::Task& task) {
  Question question{Op::name, true, {Op::cost(plan)}, [&plan](const gpu::Limits& limits) {
                      return gpu::Kernel<Op>::supports(plan, limits);
                    }};
  for (const auto& array : task.inputs()) question.load.in_bytes += array.bytes();
  for (const auto& array : task.outputs()) question.load.out_bytes += array.bytes();
  return question;
}

// Runs on the GPU if that is chosen. Returns false if the CPU must do it; `decision` then has the
// reason.
template <class Op, class T>
bool try_gpu(const typename Op::Plan& plan, const typename Op::template In<T>& in,
             const typename Op::template Out<T>& out, Decision& decision) {
  if constexpr (std::is_same_v<T, float>) {
    const gpu::KernelTask<Op> task(plan, in, out);
    const Question question = question_of<Op>(plan, task);
    if (question.load.in_bytes == 0) {
      decision.reason = "there are no samples";
      return false;
    }
    decision = choose(question);
    return run_on_device(decision, Op::name, task, ops::audio_of<T>(in));
  } else {
    decision = choose({Op::name, false, {}, {}});
    return false;
  }
}

// Throws if the results of an op show that an argument was wrong.
template <class Op, class T>
void check_results(const typename Op::Plan& plan, const typename Op::template Out<T>& out) {
  if constexpr (requires { Op::check_results(plan, out); }) Op::check_results(plan, out);
}

// Checks that audio is finite and runs the op. The GPU's side checks samples while it copies them.
template <ops::Operation Op, class T>
void run(const typename Op::Plan& plan, const typename Op::template In<T>& in,
         const typename Op::template Out<T>& out) {
  trace::Span span(engine_site<Op>);
  const CounterArgs gained;
  ++counters().calls;
  Decision decision;
  bool done = false;
  if constexpr (has_kernel<Op>)
    done = try_gpu<Op, T>(plan, in, out, decision);
  else if constexpr (gpu::built)
    decision.reason = "no GPU kernel";
  else
    decision.reason = require_no_gpu_asked();
  if (!done) {
    ops::require_finite(ops::audio_of<T>(in));
    Op::run_cpu(plan, in, out);
  }
  check_results<Op, T>(plan, out);
  if (span.on()) {
    report_decision(span, decision, Op::cost(plan));
    if constexpr (has_ways<Op>)
      if (!done) Op::describe(plan, [&](const char* key, auto value) { span.arg(key, value); });
    gained.report(span);
  }
}

// The same on device arrays, whose views have no data and only give the shapes. Returns when the
// work is submitted, not when it is done.
template <ops::Operation Op>
void run_resident(const typename Op::Plan& plan, const typename Op::template In<float>& in,
                  const typename Op::template Out<float>& out,
                  std::span<const gpu::DeviceData> inputs,
                  std::span<const gpu::DeviceData> outputs) {
  static_assert(has_kernel<Op>);
  trace::Span span(engine_site<Op>);
  const CounterArgs gained;
  ++counters().calls;
  gpu::Device& device = *inputs[0].device;
  const gpu::KernelTask<Op> task(plan, in, out);
  if (const gpu::Reason reason = gpu::Kernel<Op>::supports(plan, gpu::info(device).limits))
    refuse_plan(Op::name, reason);
  gpu::run_resident(device, task, inputs, outputs);
  if (span.on()) {
    report_decision(span, {&device, true, "the data is on the device"}, Op::cost(plan));
    gained.report(span);
  }
}

}  // namespace metalmom::dispatch
