#include "gpu/vk/memory.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/byte_text.hpp"
#include "base/fork.hpp"
#include "base/memory_limits.hpp"
#include "base/sub_sat.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

namespace {

constexpr VkMemoryPropertyFlags coherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// A counter track of a device; it names the device where several have the same name.
trace::Site counter_site(const char* what, const DeviceInfo& info) {
  const bool is_only = info.label == info.name;
  return {is_only ? what : trace::intern(what + (", gpu:" + std::to_string(info.index))),
          trace::Category::gpu};
}

// The first memory type that has all of `needed`; of several the one with most of `liked` and least
// of `disliked`.
std::uint32_t choose_type(const VkPhysicalDeviceMemoryProperties& memory,
                          VkMemoryPropertyFlags needed, VkMemoryPropertyFlags liked,
                          VkMemoryPropertyFlags disliked) {
  std::uint32_t best = VK_MAX_MEMORY_TYPES;
  int best_score = std::numeric_limits<int>::min();
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const auto flags = memory.memoryTypes[i].propertyFlags;
    if ((flags & needed) != needed) continue;
    const int score = (flags & liked ? 2 : 0) - (flags & disliked ? 1 : 0);
    if (score > best_score) {
      best = i;
      best_score = score;
    }
  }
  if (best == VK_MAX_MEMORY_TYPES)
    throw DeviceError("the device has no memory type for the engine");
  return best;
}

}  // namespace

class Memory::Driver final : public BlockCache::Driver {
 public:
  Driver(Device& device, std::uint32_t type, std::atomic<std::uint64_t>& allocations)
      : device_(device),
        type_(type),
        heap_(device.physical.memory.memoryTypes[type].heapIndex),
        allocations_(allocations),
        used_site_(counter_site("GPU memory used", device.physical.info)),
        kept_site_(counter_site("GPU memory kept", device.physical.info)) {}

  std::shared_ptr<void> make(std::size_t bytes) override {
    try {
      auto memory = std::make_shared<DeviceBuffer>(device_, bytes, type_, Side::device);
      ++allocations_;
      return memory;
    } catch (const OutOfDeviceMemory&) {
      return nullptr;
    }
  }
  bool reached(BusyUntil until) override {
    return device_.clock.reached(until.own) && device_.others.reached(until.others);
  }
  bool wait(BusyUntil until) override {
    return device_.clock.wait(until.own) && device_.others.wait(until.others);
  }

  void changed(const BlockCache::Use& use) override {
    trace::counter(used_site_, use.live);
    trace::counter(kept_site_, use.kept());
  }

  std::size_t room() override {
    const auto [budget, used] = budget_and_use();
    return sub_sat(budget, used);
  }
  // By how many bytes this process exceeds what the driver advises.
  std::size_t excess() const {
    const auto [budget, used] = budget_and_use();
    return sub_sat(used, budget);
  }

 private:
  std::pair<std::size_t, std::size_t> budget_and_use() const {
    if (!device_.physical.memory_budget)
      return {device_.physical.memory.memoryHeaps[heap_].size, 0};
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
    device_.instance.vk().memory(device_.physical.handle, &properties);
    return {budget.heapBudget[heap_], budget.heapUsage[heap_]};
  }

  Device& device_;
  std::uint32_t type_, heap_;
  std::atomic<std::uint64_t>& allocations_;
  const trace::Site used_site_, kept_site_;
};

Memory::Memory(Device& device)
    : device_(device),
      local_type_(device.physical.unified_memory.value_or(
          choose_type(device.physical.memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0,
                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))),
      // Cached memory for uploads, too: the slots are small and stay in the processor's cache, and
      // to read uncached memory takes a hundred times as long as the copy.
      host_type_(choose_type(device.physical.memory, coherent, VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                             VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)),
      generation_(fork_generation()),
      driver_(std::make_unique<Driver>(device, local_type_, driver_allocations_)),
      blocks_(*driver_),
      limit_(std::numeric_limits<std::size_t>::max()) {}

Memory::~Memory() = default;

std::size_t Memory::limit() const {
  return std::min(limit_.load(), device_memory_limit());
}

Allocation Memory::allocate(std::size_t bytes) {
  auto slice = std::make_unique<OwnedSlice>();  // first: a range without an owner would be lost
  BlockCache::Range* const range = blocks_.take(bytes, limit());
  if (!range) {
    // A block counts as a whole as long as a part of it is in use.
    const auto [live, reserved] = blocks_.use();
    const std::string asked = byte_text(bytes) + " asked for, " + byte_text(live) +
                              " in use in blocks of " + byte_text(reserved);
    if (limit() == std::numeric_limits<std::size_t>::max())
      throw OutOfDeviceMemory("out of device memory: " + asked);
    throw OutOfDeviceMemory(
        "the limit on device memory (device_memory of metalmom.set_config, METALMOM_GPU_MEMORY), " +
        byte_text(limit()) + ", is used up: " + asked);
  }
  slice->buffer = static_cast<const DeviceBuffer*>(range->memory());
  slice->offset = range->offset;
  slice->bytes = bytes;
  slice->busy_until = range->busy_until.own;
  slice->lent_until = range->busy_until.others;
  Allocation allocation(slice.release(), [this, range](const OwnedSlice* dropped) {
    if (fork_generation() == generation_) {
      blocks_.give(range, {dropped->busy_until, dropped->lent_until});
      watch_idle_devices();
    }
    delete dropped;
  });
  allocation->used_until(device_.follow_others(allocation->lent_until));
  return allocation;
}

void Memory::trim() {
  blocks_.shrink_to(0);
}

void Memory::keep_to_limit() {
  blocks_.shrink_to(limit());
}

bool Memory::is_beyond_limit() const {
  return reserved_bytes() > limit();
}

bool Memory::age() {
  blocks_.age();
  if (kept_bytes())
    if (const std::size_t excess = driver_->excess())
      blocks_.shrink_at_once(sub_sat(reserved_bytes(), excess));
  return blocks_.keeps_empty();
}

std::unique_ptr<DeviceBuffer> Memory::host_buffer(std::size_t bytes) {
  ++driver_allocations_;
  return std::make_unique<DeviceBuffer>(device_, align_up(bytes), host_type_, Side::host);
}

std::size_t Memory::available() const {
  const std::size_t room = driver_->room();
  const BlockCache::Use use = blocks_.use();
  return std::min(room + use.kept(), sub_sat(limit(), use.live));
}

bool Memory::keeps(std::size_t bytes) const {
  const BlockCache::Use use = blocks_.use();
  return bytes <= std::min(use.kept(), sub_sat(limit(), use.live));
}

void Memory::sample() const {
  if (trace::enabled.load(std::memory_order_relaxed)) blocks_.tell_use();
}

std::size_t Memory::live_bytes() const {
  return blocks_.use().live;
}

std::size_t Memory::kept_bytes() const {
  return blocks_.use().kept();
}

std::size_t Memory::reserved_bytes() const {
  return blocks_.use().reserved;
}

std::uint64_t Memory::driver_allocations() const {
  return driver_allocations_;
}

void Memory::set_limit(std::size_t bytes) {
  limit_ = bytes;
  blocks_.shrink_to(0);
}

}  // namespace metalmom::gpu
