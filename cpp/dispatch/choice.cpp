#include "dispatch/choice.hpp"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/fork.hpp"
#include "base/workers.hpp"
#include "dispatch/setting.hpp"
#include "gpu/device.hpp"
#include "trace/trace.hpp"

namespace metalmom::dispatch {

namespace {

// Finding and opening a GPU takes up to half a second. `auto` does it only when the process has
// spent about as long on work that a GPU could have taken.
constexpr double worth_opening_ms = 300;
// `auto` takes the GPU if its predicted time is below this share of the CPU's: predictions err.
constexpr double margin = 0.8;

std::atomic<double> gpu_work_ms{0};
std::atomic<bool> takes_software{false};

// What `auto` knows of the devices, once it has looked.
struct Found {
  std::mutex mutex;
  bool looked = false;
  gpu::Device* device = nullptr;
  const char* why_not = "";
};
Found& found() {
  static auto* instance = new ForkLocal<Found>;
  return instance->get();
}

// The device for `auto`, or why there is none.
gpu::Device* automatic_device(double cpu_ms, const char*& why_not) {
  Found& known = found();
  std::lock_guard lock(known.mutex);
  if (known.looked) {
    why_not = known.why_not;
    // A device that was lost would answer every call with an exception.
    if (known.device && !gpu::lost_reason(*known.device).empty()) {
      known.device = nullptr;
      why_not = known.why_not = "the GPU was lost";
    }
    return known.device;
  }
  if (!gpu::any_opened()) {
    if (fork_generation() > 0) {
      why_not = "a forked process: it gets a GPU when it asks for one";
      return nullptr;
    }
    const double spent = gpu_work_ms.load(std::memory_order_relaxed) + cpu_ms;
    gpu_work_ms.store(spent, std::memory_order_relaxed);
    if (spent < worth_opening_ms) {
      why_not = "too little work so far to look for a GPU";
      return nullptr;
    }
  }
  try {
    gpu::Device& device = gpu::open_device();
    if (gpu::info(device).type == gpu::DeviceType::cpu && !takes_software)
      known.why_not = "the only device is software";
    else
      known.device = &device;
  } catch (const DeviceError& error) {
    known.why_not = trace::intern(error.what());
  }
  known.looked = true;
  why_not = known.why_not;
  return known.device;
}

Decision choose_forced(const Question& question, const Setting& setting) {
  const std::string op(question.op);
  if (!question.single)
    throw DeviceError(op + ": the GPU computes in float32, and the input is float64");
  gpu::Device& device = gpu::open_device(setting.device);
  if (const char* reason = question.declines(gpu::info(device).limits))
    throw DeviceError(op + ": the GPU kernel does not take this: " + reason);
  return {&device, true, "asked for"};
}

Decision choose_automatic(const Question& question, const Setting& setting) {
  Decision decision;
  const auto on_cpu = [&](const char* reason) {
    decision.reason = reason;
    return decision;
  };
  if (!question.single) return on_cpu("float64");
  const auto override_at = setting.min_frames.find(question.op);
  const bool overridden = override_at != setting.min_frames.end();
  if (overridden && question.load.cost.frames < override_at->second)
    return on_cpu("fewer frames than min_frames");
  const int threads = thread_count();
  decision.cpu_ms = rough_cpu_ms(question.load, threads);
  const char* why_not = "";
  gpu::Device* device = automatic_device(overridden ? worth_opening_ms : decision.cpu_ms, why_not);
  if (!device) return on_cpu(why_not);
  if (const char* reason = question.declines(gpu::info(*device).limits)) return on_cpu(reason);
  const Rates& rates = rates_of(*device);
  decision.cpu_ms = predict_cpu_ms(rates, question.load, threads);
  decision.gpu_ms = predict_gpu_ms(rates, question.load);
  if (!overridden && decision.gpu_ms > margin * decision.cpu_ms)
    return on_cpu("predicted to be faster on the CPU");
  decision.device = device;
  decision.reason = overridden ? "at least min_frames" : "predicted to be faster on the GPU";
  return decision;
}

// The warning after a GPU's failure, which is shown once per process.
struct Warning {
  std::mutex mutex;
  std::string pending;
  bool said = false;
};
Warning& warning() {
  static auto* instance = new ForkLocal<Warning>;
  return instance->get();
}

}  // namespace

Decision choose(const Question& question) {
  const auto setting = current_setting();
  if (setting->backend == Backend::cpu) return {nullptr, true, "asked for"};
  if (setting->backend == Backend::gpu) return choose_forced(question, *setting);
  return choose_automatic(question, *setting);
}

void let_automatic_take_software(bool takes) {
  takes_software = takes;
  gpu_work_ms = takes ? worth_opening_ms : 0;
  Found& known = found();
  std::lock_guard lock(known.mutex);
  known.looked = false;
  known.device = nullptr;
}

void report_failure(Decision& decision, std::string_view op, const std::string& what) {
  static constexpr trace::Site site{"GPU failed, CPU takes over", trace::Category::engine};
  decision.device = nullptr;
  decision.reason = trace::intern("the GPU failed: " + what);
  trace::event(site, {{"error", decision.reason}});
  Warning& once = warning();
  std::lock_guard lock(once.mutex);
  if (std::exchange(once.said, true)) return;
  once.pending = std::string(op) + " failed on the GPU and was computed on the CPU (" + what +
                    "); further failures are only traced. `metalmom doctor` tells more.";
}

std::string take_warning() {
  Warning& once = warning();
  std::lock_guard lock(once.mutex);
  return std::exchange(once.pending, {});
}

}  // namespace metalmom::dispatch
