// When kernels and copies ran: a pair of GPU timestamps around each, read when the work is done and
// written into the trace on a track of their queue.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/vk/vulkan.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

class Device;
struct Queue;

enum class StampKind : std::uint8_t { kernel, copy };

class Timestamps {
 public:
  explicit Timestamps(Device& device);

  // Starts a piece of work; timed when somebody records, or with `always`.
  void reset(bool always);
  // Brackets the commands recorded in between by two timestamps. False if the work is not timed.
  bool open(VkCommandBuffer commands, const Queue& queue, const char* name, StampKind kind,
            double bytes, double flops);
  void close(VkCommandBuffer commands);
  // Marks the submission, at which the trace's arrows start.
  void submitted();
  // Reads the timestamps of finished work.
  void collect();

  // Of the last piece of work: the time of its kernels, and of its copies.
  double kernel_ns() const { return kernel_ns_; }
  double copy_ns() const { return copy_ns_; }

 private:
  struct Stamp {
    const char* name;
    const Queue* queue;
    StampKind kind;
    double bytes, flops;
  };
  // One moment on the device's and on the host's clock. Differences of ticks are taken as integers
  // (ticks since 1970 fill a double) and in the counter's valid bits only (a counter of 36 bits
  // wraps around within an hour).
  struct Anchor {
    std::uint64_t device_ticks;
    std::int64_t host_ns;
    double tick_ns;
    bool bounded;  // the host looked later, so times are upper bounds
    std::int64_t ns(std::uint64_t ticks, std::uint32_t bits) const {
      const std::uint32_t unused = 64 - bits;
      const auto passed = static_cast<std::int64_t>((ticks - device_ticks) << unused) >> unused;
      return host_ns + static_cast<std::int64_t>(static_cast<double>(passed) * tick_ns);
    }
  };
  Anchor anchor(const std::vector<std::uint64_t>& ticks) const;

  Device& device_;
  Owned<VkQueryPool> queries_;
  bool timed_ = false;
  std::vector<Stamp> stamps_;
  trace::Flow flow_ = trace::no_flow;
  double kernel_ns_ = 0, copy_ns_ = 0;
};

}  // namespace metalmom::gpu
