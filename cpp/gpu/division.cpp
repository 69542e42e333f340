#include "gpu/division.hpp"

#include <algorithm>
#include <mutex>

#include "base/ceil_div.hpp"
#include "base/fork.hpp"
#include "gpu/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

constexpr double least_share_bytes = 1 << 20;

// Held where devices are compared and taken, so that calls that begin together see each other.
std::mutex& taking() {
  static auto* mutex = new ForkLocal<std::mutex>;
  return mutex->get();
}

double streamed_bytes(const Task& task) {
  double bytes = 0;
  for (const auto arrays : {task.inputs(), task.outputs()})
    for (const HostArray& each : arrays) bytes += static_cast<double>(each.bytes());
  return bytes;
}

// Those that have fewest calls under way, in their order.
std::vector<Device*> least_busy(std::span<Device* const> devices, Index count) {
  std::vector<Device*> chosen(devices.begin(), devices.end());
  std::ranges::stable_sort(chosen, {}, [](const Device* each) { return each->calls; });
  chosen.resize(static_cast<std::size_t>(count));
  std::ranges::sort(chosen, {}, [&](Device* each) { return std::ranges::find(devices, each); });
  return chosen;
}

}  // namespace

Index share_count(Index batch, double bytes, Index n_devices) {
  const auto worth = static_cast<Index>(bytes / least_share_bytes);
  return std::clamp<Index>(std::min(worth, batch), 1, n_devices);
}

Division::Division(std::span<Device* const> devices, const Task& task, const KeptAudio* kept) {
  const Index count = share_count(task.batch(), streamed_bytes(task), std::ssize(devices));
  const std::lock_guard lock(taking());
  if (kept && !kept->shares.empty()) {
    for (const KeptClips& each : kept->shares)
      shares_.push_back({each.device, each.clip, each.n_clips});
  } else {
    Index clip = 0;
    for (Device* const device : least_busy(devices, count)) {
      const Index left = count - std::ssize(shares_);
      const Index n_clips = ceil_div(task.batch() - clip, left);
      shares_.push_back({device, clip, n_clips});
      clip += n_clips;
    }
  }
  for (const Share& each : shares_) ++each.device->calls;
}

Division::~Division() {
  const std::lock_guard lock(taking());
  for (const Share& each : shares_) --each.device->calls;
}

}  // namespace metalmom::gpu
