#include "gpu/vk/faults.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "gpu/testing.hpp"

namespace metalmom::gpu {

namespace {

std::mutex mutex;  // guards what follows
std::map<std::string_view, Fault>& faults() {
  static auto* const instance = new std::map<std::string_view, Fault>;
  return *instance;
}
CallCounts* counts = nullptr;
int stalls = 0, waiters = 0;
std::condition_variable changed;

bool is_one_of(std::string_view function, std::initializer_list<std::string_view> those) {
  return std::ranges::find(those, function) != those.end();
}

VkResult take_stall(std::string_view function, std::unique_lock<std::mutex>& lock) {
  if (is_one_of(function, {"vkGetSemaphoreCounterValue", "vkGetFenceStatus"})) return VK_NOT_READY;
  if (is_one_of(function, {"vkWaitSemaphores", "vkWaitForFences", "vkCreateComputePipelines",
                           "vkCreateDevice"})) {
    ++waiters;
    changed.notify_all();
    changed.wait(lock, [] { return stalls == 0; });
    --waiters;
  }
  return VK_SUCCESS;
}

}  // namespace

void inject_fault(std::string_view function, const Fault& fault) {
  std::lock_guard lock(mutex);
  faults()[function] = fault;
  detail::watches_calls = true;
}

bool withdraw_faults() {
  std::lock_guard lock(mutex);
  const bool is_due =
      std::ranges::any_of(faults(), [](const auto& each) { return each.second.count > 0; });
  faults().clear();
  return is_due;
}

void count_calls(CallCounts* into) {
  std::lock_guard lock(mutex);
  counts = into;
  detail::watches_calls = true;
}

void detail::note_function(const char* name) {
  if (!watches_calls.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex);
  if (counts) counts->try_emplace(name, 0);
}

VkResult detail::fault_of_watched_call(const char* function, VkDevice device) {
  std::unique_lock lock(mutex);
  if (counts) ++(*counts)[function];
  if (stalls > 0)
    if (const VkResult result = take_stall(function, lock); result != VK_SUCCESS) return result;
  const auto found = faults().find(function);
  if (found == faults().end()) return VK_SUCCESS;
  Fault& fault = found->second;
  if (fault.count == 0 || (fault.device && fault.device != device)) return VK_SUCCESS;
  if (fault.skip > 0) {
    --fault.skip;
    return VK_SUCCESS;
  }
  --fault.count;
  return fault.result;
}

Stall::Stall() {
  std::lock_guard lock(mutex);
  ++stalls;
  detail::watches_calls = true;
}

Stall::~Stall() {
  std::lock_guard lock(mutex);
  --stalls;
  changed.notify_all();
}

bool Stall::await_waiters(int count, std::chrono::seconds limit) {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, limit, [&] { return waiters >= count; });
}

}  // namespace metalmom::gpu
