// Which side runs a call, and why.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dispatch/cost_model.hpp"
#include "gpu/kernel.hpp"
#include "gpu/run/run.hpp"
#include "gpu/slice.hpp"

namespace metalmom::dispatch {

struct Decision {
  gpu::Device* device = nullptr;  // null: the CPU
  bool forced = false;
  const char* reason = "";        // static, or interned
  double cpu_ms = 0, gpu_ms = 0;  // predictions; 0 where none was needed
};

struct Question {
  std::string_view op;
  bool single = true;  // float32
  Load load;
  // Why the kernel does not take the plan on a device with such limits.
  std::function<gpu::Reason(const gpu::Limits&)> declines;
};

// Throws what is said of a plan that the kernel of an op declines, for this reason.
[[noreturn]] void refuse_plan(std::string_view op, gpu::Reason reason);

// Under "auto" the side that is predicted to be done first, from the measured rates alone: once a
// device was looked for, equal calls have equal answers. Throws DeviceError when the GPU was asked
// for and cannot do it.
Decision choose(const Question& question);
// What `choose` would answer, or that there is no kernel; with the predictions of both sides, as
// far as they can be made.
Decision explain(const Question& question, bool has_kernel);

// A GPU run under "auto" failed, and the CPU takes over: into the trace, and once per process into
// a warning that the bridge shows.
void report_failure(Decision& decision, std::string_view op, const gpu::DeviceFailed& failure);
// The warning to show now; empty when there is none.
std::string take_warning();

// For tests, whose only device is software: "auto" takes it as if it were a GPU.
void let_automatic_take_software(bool takes);

}  // namespace metalmom::dispatch
