// The session that records into Vulkan command buffers; gpu/run/session_pool.hpp leases them.
//
// Life of a piece: begin, upload (host memory to fill), record kernels, download, submit, wait.
// Kernels go into the command buffer at the end, in the order of their schedule
// (gpu/record/schedule.hpp). With queues of their own for transfers, a piece has three command
// buffers ordered by one timeline semaphore, so that the upload of one piece, the kernels of
// another and the download of a third run at the same time; otherwise one command buffer holds all
// three.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "base/interrupt.hpp"
#include "gpu/record/schedule.hpp"
#include "gpu/record/session.hpp"
#include "gpu/vk/completion.hpp"
#include "gpu/vk/descriptors.hpp"
#include "gpu/vk/memory.hpp"
#include "gpu/vk/timestamps.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

// What one piece needs, known before it is recorded.
struct SessionNeed {
  std::size_t workspace = 0;             // device memory for arrays and scratch
  std::size_t upload = 0, download = 0;  // host memory
  bool overlapped = false;  // transfers use queues of their own, where the device has them
  bool follows = false;     // reads or overwrites what earlier submissions left on the device
  bool timed = false;       // with timestamps even when nobody records
};

class CommandSession final : public Session {
 public:
  explicit CommandSession(Device& device);
  ~CommandSession() override;

  void begin(const SessionNeed& need);

  // Memory to fill before `submit`: the host's, which is copied to `target` before the kernels run.
  // Where the host sees `target` it is that itself, and this waits for earlier work on what the
  // session owns.
  std::byte* upload(Slice target);
  // Copies `source` to host memory after the kernels, unless the host sees it. After `wait`,
  // downloads()[i] is the memory of the i-th call.
  void download(Slice source);
  const std::vector<std::byte*>& downloads() const { return downloads_; }
  // Scratch memory comes from `slice` from here on, which the caller must `use`. It may be the
  // memory that earlier kernels of the session had: barriers keep their accesses apart.
  void lend_scratch(const Slice& slice) {
    scratch_ = slice;
    scratch_used_ = 0;
  }
  // What is recorded from here on shares no memory that is written with what was recorded so far.
  void begin_apart() {
    schedule_.begin_apart();
    forget_made();
  }
  // Drops the owners of memory that recorded work would use, if it was never submitted.
  void let_go() {
    kept_.clear();
    used_.clear();
  }
  // Memory that the recorded work uses on any queue. The session keeps it until the work is done,
  // and the work comes after earlier work on it.
  void own(const Allocation& memory);
  // Memory that only the recorded kernels use, in a session that `follows`. When its owners drop
  // it, work that is submitted later may take it at once.
  void use(const Allocation& memory) { used_.push_back(memory); }

  void submit();
  void wait() { wait_for(std::chrono::nanoseconds::max()); }
  // Waits for at most `limit`. Returns whether the work is done.
  bool wait_for(std::chrono::nanoseconds limit,
                std::chrono::microseconds spin_for = Device::short_spin);
  // The same on a thread that does not have the session, which stays as it is.
  bool wait_beside(std::chrono::nanoseconds limit, std::chrono::microseconds spin_for) const;
  // Waits, unless a signal ends the call. Work on a device cannot be stopped: then it runs on, and
  // the session goes back to the pool while it does.
  void wait_interruptibly() {
    while (!wait_for(interrupt_interval)) check_interrupt();
  }
  bool done();
  const Timestamps& timestamps() const { return timestamps_; }
  std::size_t held_bytes() const;

  Slice scratch(std::size_t bytes) override;
  Slice table(std::string_view kind, std::span<const std::byte> source,
              const std::function<std::vector<float>()>& make) override;
  void fill(Slice slice, std::uint32_t word) override;
  const Limits& limits() const override { return device_.physical.info.limits; }

 private:
  enum Role : std::size_t { uploading, computing, downloading };
  struct Commands {
    Owned<VkCommandPool> pool;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    bool recording = false;
  };
  struct HostMemory {
    std::unique_ptr<DeviceBuffer> buffer;
    std::size_t used = 0;
    std::byte* take(std::size_t bytes, Slice& slice);
  };

  void record(const Shader& shader, Groups groups, std::span<const Binding> bindings,
              std::span<const std::byte> push, const KernelWork& work) override;
  // The steps of the schedule.
  struct Dispatch {
    std::shared_ptr<const Pipeline> pipeline;
    VkDescriptorSet set = VK_NULL_HANDLE;
    Groups groups;
    KernelWork work;
    std::array<std::byte, most_push_bytes> push;
    std::uint32_t push_bytes = 0;
  };
  struct Fill {
    Slice slice;
    std::uint32_t word = 0;
  };
  using Step = std::variant<Dispatch, Fill>;
  struct Copy {
    Slice source, target;
  };
  VkCommandBuffer commands(Role role);
  Queue& queue(Role role);
  void record_steps();
  void record_step(VkCommandBuffer buffer, const Dispatch& step);
  void record_step(VkCommandBuffer buffer, const Fill& step);
  void record_downloads();
  void record_copy(Role role, const Copy& copy, const char* name);
  void come_after(const OwnedSlice& memory);
  void full_barrier();
  void barrier_to_host();
  void finish();
  void reserve(HostMemory& memory, std::size_t bytes);

  Device& device_;
  std::array<Commands, 3> commands_;
  Descriptors descriptors_;
  Timestamps timestamps_;
  Completion completion_;

  Allocation workspace_;
  Slice scratch_;  // the workspace, or what was lent
  std::size_t scratch_used_ = 0;
  HostMemory upload_memory_, download_memory_;
  std::vector<Allocation> kept_;  // until the work is done
  std::vector<Allocation> used_;  // until it is submitted
  Tick after_ = 0;                // of other work that this piece's transfers wait for
  std::vector<std::byte*> downloads_;
  Schedule schedule_;
  std::vector<Step> steps_;
  std::vector<Copy> copies_back_;

  bool separate_ = false;  // this piece's transfers have queues of their own
  bool has_uploads_ = false, in_flight_ = false;
};

}  // namespace metalmom::gpu
