// Device memory by lifetime: blocks of device-local memory that tables, workspaces and device
// arrays are cut from, and mapped host memory that a session keeps for its transfers.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "gpu/physical.hpp"
#include "gpu/slice.hpp"

namespace metalmom::gpu {

class Device;
struct Block;

// A VkBuffer with memory of its own; `mapped` where the host sees it.
class DeviceBuffer {
 public:
  DeviceBuffer(const Device& device, std::size_t bytes, std::uint32_t memory_type, bool map);
  VkBuffer handle() const { return buffer_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }

 private:
  std::size_t bytes_;
  Owned<VkDeviceMemory> memory_;
  Owned<VkBuffer> buffer_;
  std::byte* mapped_ = nullptr;
};

// Every slice begins at a multiple of this: any device's storage buffer alignment divides it.
inline constexpr std::size_t slice_alignment = 256;
constexpr std::size_t align_up(std::size_t bytes) {
  return (bytes + slice_alignment - 1) / slice_alignment * slice_alignment;
}

class Memory {
 public:
  explicit Memory(const Device& device);
  ~Memory();

  // Device-local memory. Throws OutOfDeviceMemory, also beyond the user's limit.
  Allocation allocate(std::size_t bytes);
  // Host memory that the device copies from, or into.
  std::unique_ptr<DeviceBuffer> host_buffer(std::size_t bytes);
  // Gives empty blocks back to the driver.
  void trim();

  // Bytes that this process may still take: the driver's budget (VK_EXT_memory_budget, else the
  // heap), and the user's limit (METALMOM_GPU_MEMORY in MiB).
  std::size_t available() const;
  std::size_t live_bytes() const;      // in slices
  std::size_t reserved_bytes() const;  // in blocks, theirs and free
  // vkAllocateMemory calls so far: constant in the steady state.
  std::uint64_t driver_allocations() const;
  void set_limit(std::size_t bytes);
  // Samples the counter tracks of a trace, which otherwise begin with the first change.
  void sample() const;

 private:
  bool take(std::size_t bytes, Slice& slice, Block*& owner);
  void add_block(std::size_t bytes);
  void release(Block& block, const Slice& slice);
  void trim_to(std::size_t keep_bytes);

  const Device& device_;
  std::uint32_t local_type_, host_type_, local_heap_;
  std::size_t keep_empty_;
  std::uint64_t generation_;  // of forks: a child must not touch its parent's memory
  mutable std::mutex mutex_;
  std::list<Block> blocks_;  // emptied last first
  std::size_t limit_, live_ = 0, reserved_ = 0, empty_ = 0;
  std::atomic<std::uint64_t> driver_allocations_{0};
};

}  // namespace metalmom::gpu
