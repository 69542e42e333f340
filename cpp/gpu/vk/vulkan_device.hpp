// The opened device behind gpu/device.hpp: its queues, and the pools that everything else lives in.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/vk/clock.hpp"
#include "gpu/vk/memory.hpp"
#include "gpu/vk/physical.hpp"
#include "gpu/vk/pipelines.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

class Completion;
class CudaDevice;
class SessionPool;
class Tables;

struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::uint32_t timestamp_bits = 0;  // 0: no timestamps
  trace::Track track{};
  std::mutex mutex;  // guards the handle; held for a submission
};

// One command buffer, or none, and what it waits for; a null semaphore stands for nothing.
struct QueueSubmit {
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
  Tick submit(Queue& queue, const QueueSubmit& submission);
  // How long a wait spins before it blocks: a blocked thread is woken 0.1 ms or more after its work
  // is done, and on a core that has slept. `short_spin` for pieces of a stream, since other threads
  // want the core.
  static constexpr std::chrono::microseconds short_spin{200}, long_spin{2000};
  // Returns when the work is done, or false after `limit`.
  bool wait(const Completion& completion, std::chrono::nanoseconds limit,
            std::chrono::microseconds spin_for = short_spin);
  bool reached(const Completion& completion);
  // Returns when compute work is past `tick`, in a call that a signal may end.
  void wait_interruptibly(Tick tick);
  // Asks until the answer is yes, or `limit` is over. Not on a software device, which computes on
  // the cores that a spinning thread takes.
  template <class F>
  bool spin(F&& over, std::chrono::nanoseconds limit) const {
    if (physical.info.type == DeviceType::cpu) return false;
    const auto end = std::chrono::steady_clock::now() + limit;
    do {
      if (over()) return true;
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  // For messages: GPU 1 (its name).
  std::string name() const;
  // Empty, or why the device is not used again.
  std::string lost_reason() const;
  // Allocates memory; if there is not enough, waits for work in flight and gives back what is only
  // kept.
  Allocation allocate(std::size_t bytes);
  // Gives back all memory that is only kept: idle sessions, tables, empty blocks.
  void trim();
  // What one call takes of the memory left at most, for audio that it keeps or for its pieces:
  // calls of other threads and processes want some, too.
  std::size_t share_of_call() const { return memory.available() / 3; }
  // Lets all compute work that comes now wait until others have reached `tick` of their clock, if
  // they have not: the tick of the device's own clock that shows it, or 0.
  Tick follow_others(Tick tick);
  // The same device as CUDA sees it. Throws NotShareable.
  CudaDevice& cuda();
  // For tests, which have a CUDA of their own.
  void use_cuda(std::unique_ptr<CudaDevice> cuda);
  // Throws in a child of the process that opened the device: no driver survives a fork.
  void require_own_process() const;
  bool in_own_process() const;

  const Instance& instance;
  const PhysicalDevice physical;
  const DeviceFunctions vk;
  // Uploads and downloads have queues of their own when the device `overlaps` them with kernels;
  // the two may then be one queue.
  const bool overlaps;
  Queue compute, upload, download;
  Clock clock;
  Clock others;  // those whom memory is lent to; runs where it can be
  Memory memory;
  Pipelines pipelines;
  std::unique_ptr<Tables> tables;
  std::unique_ptr<SessionPool> sessions;

 private:
  void check_device(VkResult result, const char* call);

  std::mutex* download_mutex_ = nullptr;  // that of the queue which `download` is
  std::mutex cuda_mutex_;  // guards what follows; whoever needs it waits until CUDA is there
  std::unique_ptr<CudaDevice> cuda_;
  const std::uint64_t generation_;  // of forks
  mutable std::mutex lost_mutex_;   // guards what follows
  std::string lost_;
};

}  // namespace metalmom::gpu
