// Device-local memory for tables, workspaces and device arrays, kept by a BlockCache; and mapped
// host memory that a session keeps for its transfers.
#pragma once

#include <atomic>
#include <memory>

#include "gpu/slice.hpp"
#include "gpu/vk/block_cache.hpp"
#include "gpu/vk/device_buffer.hpp"
#include "gpu/vk/physical.hpp"

namespace metalmom::gpu {

class Memory {
 public:
  explicit Memory(Device& device);
  ~Memory();

  // Device-local memory. Throws OutOfDeviceMemory, also beyond the limits that hold for the caller.
  Allocation allocate(std::size_t bytes);
  // Host memory that the device copies from, or into.
  std::unique_ptr<DeviceBuffer> host_buffer(std::size_t bytes);
  // Gives empty blocks back to the driver: all of them, or those beyond the caller's limit.
  void trim();
  void keep_to_limit();
  bool is_beyond_limit() const;
  // Gives back blocks that nobody has used for a while, and what goes beyond the driver's budget,
  // since other processes may want memory. To be called every few seconds. Returns whether anything
  // is still kept.
  bool age();

  // Bytes that a call may still take: the driver's budget (VK_EXT_memory_budget, else the heap),
  // and the limits on what is reserved.
  std::size_t available() const;
  // Whether the engine keeps so many free bytes already. Checked before `available`, because asking
  // the driver takes longer than a small call.
  bool keeps(std::size_t bytes) const;
  std::size_t live_bytes() const;      // in slices
  std::size_t kept_bytes() const;      // free, in blocks
  std::size_t reserved_bytes() const;  // in blocks: both of them
  // vkAllocateMemory calls so far: constant in the steady state.
  std::uint64_t driver_allocations() const;
  void set_limit(std::size_t bytes);
  // Writes the present values into a trace's counter tracks, which otherwise begin with the first
  // change.
  void sample() const;

 private:
  class Driver;
  std::size_t limit() const;

  Device& device_;
  std::uint32_t local_type_, host_type_;
  std::uint64_t generation_;  // of forks: a child must not touch its parent's memory
  std::unique_ptr<Driver> driver_;
  BlockCache blocks_;
  std::atomic<std::size_t> limit_;
  std::atomic<std::uint64_t> driver_allocations_{0};
};

}  // namespace metalmom::gpu
