#include "gpu/faults.hpp"

#include <array>
#include <atomic>
#include <mutex>

namespace metalmom::gpu {

namespace {

struct Fault {
  VkResult result = VK_SUCCESS;
  int skip = 0, count = 0, device = -1;
};
std::atomic<bool> armed{false};
std::mutex mutex;
std::array<Fault, n_fault_points> faults;

}  // namespace

void inject_fault(FaultPoint point, VkResult result, int count, int skip, int device) {
  std::lock_guard lock(mutex);
  faults[static_cast<std::size_t>(point)] = {result, skip, count, device};
  armed = true;
}

VkResult take_fault(FaultPoint point, int device) {
  if (!armed.load(std::memory_order_relaxed)) [[likely]]
    return VK_SUCCESS;
  std::lock_guard lock(mutex);
  Fault& fault = faults[static_cast<std::size_t>(point)];
  if (fault.count == 0 || (fault.device >= 0 && fault.device != device)) return VK_SUCCESS;
  if (fault.skip > 0) {
    --fault.skip;
    return VK_SUCCESS;
  }
  --fault.count;
  return fault.result;
}

}  // namespace metalmom::gpu
