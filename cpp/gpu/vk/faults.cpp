#include "gpu/vk/faults.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "gpu/testing.hpp"

namespace metalmom::gpu {

namespace {

struct Fault {
  VkResult result = VK_SUCCESS;
  int skip = 0, count = 0, device = -1;
};
std::atomic<bool> armed{false};
std::mutex mutex;  // guards what follows
std::array<Fault, n_fault_points> faults;
int stalls = 0, waiters = 0;
std::condition_variable changed;

VkResult take_stall(FaultPoint point, std::unique_lock<std::mutex>& lock) {
  if (point == FaultPoint::look) return VK_NOT_READY;
  if (point == FaultPoint::wait || point == FaultPoint::build || point == FaultPoint::open) {
    ++waiters;
    changed.notify_all();
    changed.wait(lock, [] { return stalls == 0; });
    --waiters;
  }
  return VK_SUCCESS;
}

}  // namespace

void inject_fault(FaultPoint point, VkResult result, int count, int skip, int device) {
  std::lock_guard lock(mutex);
  faults[static_cast<std::size_t>(point)] = {result, skip, count, device};
  armed = true;
}

VkResult take_fault(FaultPoint point, int device) {
  if (!armed.load(std::memory_order_relaxed)) [[likely]]
    return VK_SUCCESS;
  std::unique_lock lock(mutex);
  if (stalls > 0)
    if (const VkResult result = take_stall(point, lock); result != VK_SUCCESS) return result;
  Fault& fault = faults[static_cast<std::size_t>(point)];
  if (fault.count == 0 || (fault.device >= 0 && fault.device != device)) return VK_SUCCESS;
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
  armed = true;
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
