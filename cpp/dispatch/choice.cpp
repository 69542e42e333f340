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
#include "gpu/reasons.hpp"
#include "trace/trace.hpp"

namespace metalmom::dispatch {

namespace {

// Finding and opening a GPU takes up to half a second. `auto` does it only when the process has
// spent about as long on work that a GPU could have taken.
constexpr double worth_opening_ms = 300;

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

// What `auto` knows of the devices that a setting names, once it has looked.
struct Looked {
  std::vector<gpu::Device*> devices;
  const char* why_not = "";  // there is none
};
struct Found {
  std::mutex mutex;
  std::map<std::string, Looked> by_setting;
};
Found& found() {
  static auto* instance = new ForkLocal<Found>;
  return instance->get();
}

// Opens what a setting names. Those of several that cannot be opened are left out.
Looked look_for(const Setting& setting) {
  Looked result;
  for (const int index : device_indices(setting)) {
    try {
      gpu::Device& device = gpu::open_device(index);
      if (gpu::info(device).type == gpu::DeviceType::cpu && !takes_software)
        result.why_not = "the only device is software";
      else
        result.devices.push_back(&device);
    } catch (const DeviceError& error) {
      result.why_not = trace::intern(error.what());
      if (index >= 0) warning().say(std::string(error.what()) + ": it is left out");
    }
  }
  return result;
}

// Whether the process has spent enough on work for GPUs to look for one, by now; if not, why.
const char* reason_not_to_look(double cpu_ms, bool is_only_asked) {
  if (gpu::any_opened()) return nullptr;
  if (fork_generation() > 0) return "a forked process: it gets a GPU when it asks for one";
  const double spent = gpu_work_ms.load(std::memory_order_relaxed) + cpu_ms;
  if (!is_only_asked) gpu_work_ms.store(spent, std::memory_order_relaxed);
  return spent < worth_opening_ms ? "too little work so far to look for a GPU" : nullptr;
}

// The devices for `auto`, or why there is none.
Looked automatic_devices(const Setting& setting, double cpu_ms, bool is_only_asked) {
  Found& known = found();
  std::lock_guard lock(known.mutex);
  const std::string key = setting_name(setting);
  auto at = known.by_setting.find(key);
  if (at == known.by_setting.end()) {
    if (const char* reason = reason_not_to_look(cpu_ms, is_only_asked)) return {{}, reason};
    at = known.by_setting.emplace(key, look_for(setting)).first;
  }
  Looked& looked = at->second;
  // A device that was lost would answer every call with an exception.
  if (std::erase_if(looked.devices,
                    [](gpu::Device* each) { return !gpu::lost_reason(*each).empty(); }))
    looked.why_not = "the GPU was lost";
  return looked;
}

void expect(Decision& decision, const Question& question, const Rates& rates, Index n_devices) {
  const int threads = thread_count();
  decision.expected = {kind_of(question.op, question.load, threads, n_devices),
                       predict_cpu_ms(rates, question.load, threads),
                       predict_gpu_ms(rates, question.load, n_devices)};
}

// A forced call is timed too, once a device was opened, so that "auto" learns from it.
void expect_if_known(Decision& decision, const Question& question) {
  if (!question.single || !gpu::any_opened()) return;
  Found& known = found();
  std::lock_guard lock(known.mutex);
  for (const auto& [name, looked] : known.by_setting)
    if (decision.devices.empty() ? !looked.devices.empty() : decision.devices == looked.devices)
      if (const Rates* rates = known_rates(*looked.devices[0]))
        return expect(decision, question, *rates, std::ssize(looked.devices));
}

Decision choose_forced(const Question& question, const Setting& setting) {
  if (!question.single)
    throw DeviceRefusal(Declined::precision, question.op,
                        {.name = "the GPU computes in float32, and the input is float64"});
  Decision decision{{}, true, "asked for"};
  for (const int index : device_indices(setting)) {
    gpu::Device& device = gpu::open_device(index);
    if (const char* reason = question.declines(gpu::info(device).limits))
      refuse_plan(question.op, reason);
    decision.devices.push_back(&device);
  }
  expect_if_known(decision, question);
  return decision;
}

Decision choose_automatic(const Question& question, const Setting& setting, bool is_only_asked) {
  Decision decision;
  const auto on_cpu = [&](const char* reason) {
    decision.devices.clear();
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
  Looked looked = automatic_devices(setting, overridden ? worth_opening_ms : decision.cpu_ms,
                                    is_only_asked);
  if (looked.devices.empty()) return on_cpu(looked.why_not);
  decision.devices = std::move(looked.devices);
  for (gpu::Device* each : decision.devices)
    if (const char* reason = question.declines(gpu::info(*each).limits)) return on_cpu(reason);
  expect(decision, question, rates_of(*decision.devices[0]), std::ssize(decision.devices));
  const auto& expected = *decision.expected;
  decision.cpu_ms = expected.cpu_ms;
  decision.gpu_ms = expected.gpu_ms;
  decision.reason = "at least min_frames";
  if (overridden) return decision;
  const Judgement judgement =
      judge(expected.kind, expected.cpu_ms, expected.gpu_ms, is_only_asked);
  decision.cpu_ms = judgement.cpu_ms;
  decision.gpu_ms = judgement.gpu_ms;
  decision.reason = judgement.reason;
  if (judgement.side == Side::cpu) decision.devices.clear();
  return decision;
}

// `is_only_asked`: no call follows, and nothing is noted.
Decision choose(const Question& question, bool is_only_asked) {
  const auto setting = current_setting();
  if (setting->backend == Backend::cpu) {
    Decision decision{{}, true, "asked for"};
    expect_if_known(decision, question);
    return decision;
  }
  if (setting->backend == Backend::gpu) return choose_forced(question, *setting);
  return choose_automatic(question, *setting, is_only_asked);
}

}  // namespace

void refuse_plan(std::string_view op, const char* reason) {
  ErrorParts parts{.name = reason};
  if (reason == gpu::unfit_length.said)
    parts = {.name = std::string(gpu::unfit_length.name),
             .rule = std::string(gpu::unfit_length.rule()),
             .verb = "is"};
  throw DeviceRefusal(Declined::plan, op, std::move(parts));
}

Decision choose(const Question& question) {
  return choose(question, false);
}

Decision explain(const Question& question, bool has_kernel) {
  Decision decision;
  decision.reason = "no GPU kernel";
  if (has_kernel) decision = choose(question, true);
  if (question.single && !decision.expected && !decision.devices.empty())
    expect(decision, question, rates_of(*decision.devices[0]), std::ssize(decision.devices));
  if (decision.expected && decision.gpu_ms == 0) {
    decision.cpu_ms = decision.expected->cpu_ms;
    decision.gpu_ms = decision.expected->gpu_ms;
  }
  if (decision.cpu_ms == 0) decision.cpu_ms = rough_cpu_ms(question.load, thread_count());
  return decision;
}

void let_automatic_take_software(bool takes) {
  takes_software = takes;
  gpu_work_ms = takes ? worth_opening_ms : 0;
  Found& known = found();
  std::lock_guard lock(known.mutex);
  known.by_setting.clear();
  forget_experience();
}

void report_failure(Decision& decision, std::string_view op, const gpu::DeviceFailed& failure) {
  static constexpr trace::Site to_cpu{"GPU failed, CPU takes over", trace::Category::engine};
  static constexpr trace::Site to_others{"GPU failed, others take over", trace::Category::engine};
  if (std::erase(decision.devices, &failure.device) == 0) decision.devices.clear();
  const bool others = !decision.devices.empty();
  const char* const reason = trace::intern(std::string("the GPU failed: ") + failure.what());
  if (!others) decision.reason = reason;
  trace::event(others ? to_others : to_cpu, {{"error", reason}});
  warning().say(std::string(op) + " failed on the GPU and was computed on the " +
                (others ? "others" : "CPU") + " (" + failure.what() + ")");
}

std::string take_warning() {
  Warning& once = warning();
  std::lock_guard lock(once.mutex);
  return std::exchange(once.pending, {});
}

}  // namespace metalmom::dispatch
