// The opened device behind gpu/device.hpp: its queues, and the pools that everything else lives in.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/clock.hpp"
#include "gpu/memory.hpp"
#include "gpu/physical.hpp"
#include "gpu/pipelines.hpp"
#include "gpu/tables.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

class Completion;
class SessionPool;

struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::uint32_t timestamp_bits = 0;  // 0: no timestamps
  trace::Track track{};
  std::mutex mutex;  // of submissions
};

// One command buffer and what it waits for; a null semaphore stands for nothing.
struct Submission {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  SemaphorePoint previous = {};  // waited for
  Tick after = 0;                // of the device's clock, waited for
  SemaphorePoint signal = {};
  VkFence fence = VK_NULL_HANDLE;
};

// Owns the VkDevice. The first member of Device, so that it is destroyed last.
class LogicalDevice {
 public:
  LogicalDevice(const Instance& instance, const PhysicalDevice& physical);
  ~LogicalDevice();
  LogicalDevice(const LogicalDevice&) = delete;
  VkDevice handle = VK_NULL_HANDLE;

 private:
  PFN_vkDestroyDevice destroy_ = nullptr;
};

class Device {
 private:
  LogicalDevice logical_;

 public:
  Device(const Instance& the_instance, PhysicalDevice the_physical);
  ~Device();

  // Every submission goes through here, which remembers the loss of the device. Returns the tick of
  // work on the compute queue if the clock runs, else 0.
  Tick submit(Queue& queue, const Submission& submission);
  // Returns when the work is done, or false after `limit`.
  bool wait(const Completion& completion, std::chrono::nanoseconds limit);
  bool reached(const Completion& completion);
  // Empty, or why the device is not used again.
  std::string lost_reason() const;
  // Allocates memory; if there is not enough, waits for work in flight and gives back what is only
  // kept.
  Allocation allocate(std::size_t bytes);
  // Throws in a child of the process that opened the device: no driver survives a fork.
  void require_own_process() const;

  const Instance& instance;
  const PhysicalDevice physical;
  const DeviceFunctions vk;
  // Uploads and downloads have queues of their own when the device `overlaps` them with kernels;
  // the two may then be one queue.
  const bool overlaps;
  Queue compute, upload, download;
  Clock clock;
  Memory memory;
  Pipelines pipelines;
  Tables tables;
  std::unique_ptr<SessionPool> sessions;

 private:
  void check_device(VkResult result, const char* call);

  std::mutex* download_mutex_ = nullptr;
  const std::uint64_t generation_;  // of forks
  mutable std::mutex lost_mutex_;
  std::string lost_;
};

}  // namespace metalmom::gpu
