#include "gpu/memory.hpp"

#include <algorithm>
#include <limits>

#include "base/environment.hpp"
#include "base/fork.hpp"
#include "gpu/block.hpp"
#include "gpu/faults.hpp"
#include "gpu/vulkan_device.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

namespace {

// Allocations up to a quarter of this share a block; larger ones have their own.
constexpr std::size_t block_bytes = std::size_t{64} << 20;
// Empty blocks kept for the next call: so much, or this part of the device's memory.
constexpr std::size_t keep_empty_bytes = std::size_t{256} << 20;
constexpr std::size_t keep_empty_part = 256;

constexpr VkMemoryPropertyFlags coherent =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// Counter tracks: what is used, and what the driver gave.
void trace_use(std::size_t live, std::size_t reserved) {
  static constexpr trace::Site used{"GPU memory used", trace::Category::gpu};
  static constexpr trace::Site held{"GPU memory reserved", trace::Category::gpu};
  trace::counter(used, live);
  trace::counter(held, reserved);
}

// The first type with all of `needed` that has most of `liked` and least of `disliked`.
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

std::size_t limit_from_environment() {
  constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
  const auto mebibytes = environment_count("METALMOM_GPU_MEMORY", Index{1} << 30);
  return mebibytes ? static_cast<std::size_t>(*mebibytes) << 20 : unlimited;
}

}  // namespace

DeviceBuffer::DeviceBuffer(const Device& device, std::size_t bytes, std::uint32_t memory_type,
                           bool map)
    : bytes_(bytes) {
  const DeviceFunctions& vk = device.vk;
  const QueueFamilies& families = device.physical.families;
  // Shared between the queue families, so that no ownership has to be handed over.
  const std::uint32_t sharing[] = {families.compute, families.transfer.value_or(families.compute)};
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = bytes;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  create.sharingMode = families.transfer ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  create.queueFamilyIndexCount = families.transfer ? 2 : 0;
  create.pQueueFamilyIndices = sharing;
  VkBuffer buffer;
  check(vk.create_buffer(vk.device, &create, nullptr, &buffer), "vkCreateBuffer");
  buffer_ = {vk.device, buffer, vk.destroy_buffer};

  VkMemoryRequirements requirements;
  vk.buffer_requirements(vk.device, buffer, &requirements);
  if (!(requirements.memoryTypeBits & (1u << memory_type)))
    throw DeviceError("the device keeps no storage buffers in its own memory");
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = memory_type;
  VkDeviceMemory memory;
  VkResult result = take_fault(FaultPoint::allocate);
  if (result == VK_SUCCESS) result = vk.allocate_memory(vk.device, &allocate, nullptr, &memory);
  check(result, "vkAllocateMemory");
  memory_ = {vk.device, memory, vk.free_memory};
  check(vk.bind_buffer(vk.device, buffer, memory, 0), "vkBindBufferMemory");
  if (!map) return;
  void* address;
  check(vk.map_memory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &address), "vkMapMemory");
  mapped_ = static_cast<std::byte*>(address);
}

Memory::Memory(const Device& device)
    : device_(device),
      local_type_(choose_type(device.physical.memory, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0,
                              VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)),
      // Cached, for uploads too: the slots are small and stay in the processor's cache, and reading
      // uncached memory would cost a hundred times the copy.
      host_type_(choose_type(device.physical.memory, coherent, VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                             VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)),
      local_heap_(device.physical.memory.memoryTypes[local_type_].heapIndex),
      keep_empty_(std::max<std::size_t>(
          keep_empty_bytes,
          device.physical.memory.memoryHeaps[local_heap_].size / keep_empty_part)),
      generation_(fork_generation()),
      limit_(limit_from_environment()) {}

Memory::~Memory() = default;

bool Memory::take(std::size_t bytes, Slice& slice, Block*& owner) {
  for (Block& block : blocks_) {
    // A small slice must not keep a large block from the next large array.
    if (block.buffer.bytes() > block_bytes && bytes < block.buffer.bytes() / 4) continue;
    const bool was_empty = block.empty();
    if (!block.take(bytes, slice)) continue;
    if (was_empty) empty_ -= block.buffer.bytes();
    owner = &block;
    return true;
  }
  return false;
}

void Memory::add_block(std::size_t bytes) {
  if (reserved_ + bytes > limit_) trim_to(0);
  if (reserved_ + bytes > limit_) throw OutOfDeviceMemory("METALMOM_GPU_MEMORY is used up");
  try {
    blocks_.emplace_front(device_, bytes, local_type_);
  } catch (const OutOfDeviceMemory&) {
    trim_to(0);
    blocks_.emplace_front(device_, bytes, local_type_);
  }
  ++driver_allocations_;
  reserved_ += bytes;
  empty_ += bytes;
}

Allocation Memory::allocate(std::size_t bytes) {
  const std::size_t rounded = align_up(std::max<std::size_t>(bytes, 1));
  std::lock_guard lock(mutex_);
  Slice slice;
  Block* owner = nullptr;
  if (!take(rounded, slice, owner)) {
    // Under a tight limit a small request does not insist on a whole shared block.
    const bool shares = rounded <= block_bytes / 4 && reserved_ + block_bytes <= limit_;
    add_block(shares ? block_bytes : rounded);
    take(rounded, slice, owner);
  }
  live_ += rounded;
  trace_use(live_, reserved_);
  slice.bytes = bytes;
  return Allocation(new Slice(slice), [this, owner](const Slice* dropped) {
    if (fork_generation() == generation_) release(*owner, *dropped);
    delete dropped;
  });
}

void Memory::release(Block& block, const Slice& slice) {
  const std::size_t rounded = align_up(std::max<std::size_t>(slice.bytes, 1));
  std::lock_guard lock(mutex_);
  live_ -= rounded;
  trace_use(live_, reserved_);
  block.give(slice.offset, rounded);
  if (!block.empty()) return;
  empty_ += block.buffer.bytes();
  // To the front: what was used last is what the next call wants.
  blocks_.splice(blocks_.begin(), blocks_,
                 std::find_if(blocks_.begin(), blocks_.end(),
                              [&](const Block& each) { return &each == &block; }));
  if (empty_ > keep_empty_) trim_to(keep_empty_);
}

void Memory::trim() {
  std::lock_guard lock(mutex_);
  trim_to(0);
}

void Memory::trim_to(std::size_t keep_bytes) {
  for (auto block = blocks_.end(); block != blocks_.begin() && empty_ > keep_bytes;) {
    --block;
    if (!block->empty()) continue;
    empty_ -= block->buffer.bytes();
    reserved_ -= block->buffer.bytes();
    block = blocks_.erase(block);
  }
}

std::unique_ptr<DeviceBuffer> Memory::host_buffer(std::size_t bytes) {
  ++driver_allocations_;
  return std::make_unique<DeviceBuffer>(device_, align_up(bytes), host_type_, true);
}

std::size_t Memory::available() const {
  std::size_t heap = device_.physical.memory.memoryHeaps[local_heap_].size;
  if (device_.physical.memory_budget) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
    device_.instance.vk().memory(device_.physical.handle, &properties);
    const std::size_t used = budget.heapUsage[local_heap_];
    heap = budget.heapBudget[local_heap_] -
           std::min<std::size_t>(used, budget.heapBudget[local_heap_]);
  }
  std::lock_guard lock(mutex_);
  // Free ranges of blocks that are reserved already can be had again.
  const std::size_t own = reserved_ - live_;
  return std::min(heap + own, limit_ - std::min(limit_, live_));
}

void Memory::sample() const {
  if (!trace::enabled.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  trace_use(live_, reserved_);
}

std::size_t Memory::live_bytes() const {
  std::lock_guard lock(mutex_);
  return live_;
}

std::size_t Memory::reserved_bytes() const {
  std::lock_guard lock(mutex_);
  return reserved_;
}

std::uint64_t Memory::driver_allocations() const {
  return driver_allocations_;
}

void Memory::set_limit(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
  trim_to(0);
}

}  // namespace metalmom::gpu
