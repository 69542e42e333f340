#include "dispatch/choice.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/error_parts.hpp"
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

// The GPU is taken where it is predicted to take at most this share of the CPU's time: predictions
// err.
constexpr double worth_the_gpu = 0.8;

std::atomic<double> gpu_work_ms{0};
std::atomic<bool> takes_software{false};

// The warning after a GPU's failure, which is shown once per process.
struct Warning {
  std::mutex mutex;
  std::string pending;
  bool said = false;
  void say(std::string text) {
    std::lock_guard lock(mutex);
    if (!std::exchange(said, true))
      pending =
          std::move(text) + "; further failures are only traced. `metalmom doctor` tells more.";
  }
};
Warning& warning() {
  static auto* instance = new ForkLocal<Warning>;
  return instance->get();
}

// What `auto` knows of a device, once it has looked.
struct Looked {
  gpu::Device* device = nullptr;
  const char* why_not = "";  // there is none
};
struct Found {
  std::mutex mutex;
  std::map<int, Looked> by_index;
};
Found& found() {
  static auto* instance = new ForkLocal<Found>;
  return instance->get();
}

Looked look_for(int index) {
  try {
    gpu::Device& device = gpu::open_device(index);
    if (gpu::info(device).type == gpu::DeviceType::cpu && !takes_software)
      return {nullptr, "the only device is software"};
    return {&device};
  } catch (const DeviceError& error) {
    if (index >= 0) warning().say(std::string(error.what()) + ": the CPU does without it");
    return {nullptr, trace::intern(error.what())};
  }
}

// Whether the process has spent enough on work for GPUs to look for one, by now; if not, why.
const char* reason_not_to_look(double cpu_ms, bool is_only_asked) {
  if (gpu::any_opened()) return nullptr;
  if (fork_generation() > 0) return "a forked process: it gets a GPU when it asks for one";
  const double spent = gpu_work_ms.load(std::memory_order_relaxed) + cpu_ms;
  if (!is_only_asked) gpu_work_ms.store(spent, std::memory_order_relaxed);
  return spent < worth_opening_ms ? "too little work so far to look for a GPU" : nullptr;
}

// The device for `auto`, or why there is none.
Looked automatic_device(int index, double cpu_ms, bool is_only_asked) {
  Found& known = found();
  std::lock_guard lock(known.mutex);
  auto at = known.by_index.find(index);
  if (at == known.by_index.end()) {
    if (const char* reason = reason_not_to_look(cpu_ms, is_only_asked)) return {nullptr, reason};
    at = known.by_index.emplace(index, look_for(index)).first;
  }
  // A device that was lost would answer every call with an exception.
  Looked& looked = at->second;
  if (looked.device && !gpu::lost_reason(*looked.device).empty())
    looked = {nullptr, "the GPU was lost"};
  return looked;
}

void predict(Decision& decision, const Question& question, gpu::Device& device) {
  const Rates rates = rates_of(device);
  decision.cpu_ms = predict_cpu_ms(rates, question.load, thread_count());
  decision.gpu_ms = predict_gpu_ms(rates, question.load);
}

ErrorParts parts_of(gpu::Reason reason) {
  if (!reason.parameter) return {.name = reason.words};
  return {.name = reason.parameter, .rule = reason.words, .verb = "is"};
}

Decision choose_forced(const Question& question, const Setting& setting) {
  if (!question.single)
    throw DeviceRefusal(Declined::precision, question.op,
                        {.name = "the GPU computes in float32, and the input is float64"});
  gpu::Device& device = gpu::open_device(setting.device);
  if (const gpu::Reason reason = question.declines(gpu::info(device).limits))
    refuse_plan(question.op, reason);
  return {&device, true, "asked for"};
}

Decision choose_automatic(const Question& question, const Setting& setting, bool is_only_asked) {
  Decision decision;
  const auto on_cpu = [&](const char* reason) {
    decision.device = nullptr;
    decision.reason = reason;
    return decision;
  };
  if (!question.single) return on_cpu("float64");
  const auto override_at = setting.min_frames.find(question.op);
  const bool overridden = override_at != setting.min_frames.end();
  if (overridden && question.load.cost.frames < override_at->second)
    return on_cpu("fewer frames than min_frames");
  decision.cpu_ms = rough_cpu_ms(question.load, thread_count());
  const Looked looked = automatic_device(
      setting.device, overridden ? worth_opening_ms : decision.cpu_ms, is_only_asked);
  if (!looked.device) return on_cpu(looked.why_not);
  if (const gpu::Reason reason = question.declines(gpu::info(*looked.device).limits))
    return on_cpu(trace::intern(sentence(parts_of(reason))));
  predict(decision, question, *looked.device);
  if (!overridden && decision.gpu_ms > worth_the_gpu * decision.cpu_ms)
    return on_cpu("predicted to be faster on the CPU");
  decision.device = looked.device;
  decision.reason = overridden ? "at least min_frames" : "predicted to be faster on the GPU";
  return decision;
}

// `is_only_asked`: no call follows, and nothing is noted.
Decision choose(const Question& question, bool is_only_asked) {
  const auto setting = current_setting();
  if (setting->backend == Backend::cpu) return {nullptr, true, "asked for"};
  if (setting->backend == Backend::gpu) return choose_forced(question, *setting);
  return choose_automatic(question, *setting, is_only_asked);
}

// The device whose predictions an explanation shows beside a decision for the CPU, if one was
// found.
gpu::Device* device_beside(const Decision& decision) {
  if (decision.device) return decision.device;
  Found& known = found();
  std::lock_guard lock(known.mutex);
  const auto at = known.by_index.find(current_setting()->device);
  return at == known.by_index.end() ? nullptr : at->second.device;
}

}  // namespace

void refuse_plan(std::string_view op, gpu::Reason reason) {
  throw DeviceRefusal(Declined::plan, op, parts_of(reason), "the GPU kernel does not take this: ");
}

Decision choose(const Question& question) {
  return choose(question, false);
}

Decision explain(const Question& question, bool has_kernel) {
  Decision decision;
  decision.reason = "no GPU kernel";
  if (has_kernel) decision = choose(question, true);
  if (has_kernel && question.single && decision.gpu_ms == 0)
    if (gpu::Device* const device = device_beside(decision)) predict(decision, question, *device);
  if (decision.cpu_ms == 0) decision.cpu_ms = rough_cpu_ms(question.load, thread_count());
  return decision;
}

void let_automatic_take_software(bool takes) {
  takes_software = takes;
  gpu_work_ms = takes ? worth_opening_ms : 0;
  Found& known = found();
  std::lock_guard lock(known.mutex);
  known.by_index.clear();
}

void report_failure(Decision& decision, std::string_view op, const gpu::DeviceFailed& failure) {
  static constexpr trace::Site to_cpu{"GPU failed, CPU takes over", trace::Category::engine};
  decision.device = nullptr;
  decision.reason = trace::intern(std::string("the GPU failed: ") + failure.what());
  trace::event(to_cpu, {{"error", decision.reason}});
  warning().say(std::string(op) + " failed on the GPU and was computed on the CPU (" +
                failure.what() + ")");
}

std::string take_warning() {
  Warning& once = warning();
  std::lock_guard lock(once.mutex);
  return std::exchange(once.pending, {});
}

}  // namespace metalmom::dispatch
