#include "gpu/vk/timestamps.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::uint32_t max_queries = 512;

// A timestamp at the bottom of the pipe is written when everything before it has finished. So a
// pair measures the work in between exactly if the work before the pair had finished too.
constexpr VkPipelineStageFlagBits stage = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;

}  // namespace

Timestamps::Timestamps(Device& device) : device_(device) {
  // Queries of a transfer queue cannot be reset by its own commands.
  if (!device.physical.host_query_reset) return;
  const DeviceFunctions& vk = device.vk;
  VkQueryPoolCreateInfo create{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = max_queries;
  VkQueryPool queries;
  check(vk.create_query_pool(vk.device, &create, nullptr, &queries), "vkCreateQueryPool");
  queries_ = {vk.device, queries, vk.destroy_query_pool};
}

void Timestamps::reset(bool always) {
  stamps_.clear();
  kernel_ns_ = copy_ns_ = 0;
  timed_ = queries_ && (always || trace::enabled.load(std::memory_order_relaxed));
  if (timed_) device_.vk.reset_queries(device_.vk.device, queries_, 0, max_queries);
}

bool Timestamps::open(VkCommandBuffer commands, const Queue& queue, const char* name,
                      StampKind kind, double bytes, double flops) {
  const auto next = static_cast<std::uint32_t>(2 * stamps_.size());
  if (!timed_ || queue.timestamp_bits == 0 || next + 2 > max_queries) return false;
  stamps_.push_back({name, &queue, kind, bytes, flops});
  device_.vk.cmd_timestamp(commands, stage, queries_, next);
  return true;
}

void Timestamps::close(VkCommandBuffer commands) {
  device_.vk.cmd_timestamp(commands, stage, queries_,
                           static_cast<std::uint32_t>(2 * stamps_.size() - 1));
}

void Timestamps::submitted() {
  if (!timed_) return;
  static constexpr trace::Site site{"submit", trace::Category::gpu};
  flow_ = trace::new_flow();
  trace::event(site, {{"intervals", stamps_.size()}}, flow_);
}

void Timestamps::collect() {
  if (!timed_ || stamps_.empty()) return;
  const DeviceFunctions& vk = device_.vk;
  std::vector<std::uint64_t> ticks(2 * stamps_.size());
  check(vk.query_results(vk.device, queries_, 0, static_cast<std::uint32_t>(ticks.size()),
                         ticks.size() * sizeof ticks[0], ticks.data(), sizeof ticks[0],
                         VK_QUERY_RESULT_64_BIT),
        "vkGetQueryPoolResults");
  const Anchor clock = anchor(ticks);
  std::map<const Queue*, std::int64_t> last_end;
  for (std::size_t i = 0; i < stamps_.size(); ++i) {
    const Stamp& stamp = stamps_[i];
    // Dispatches without a barrier between them may overlap. The trace shows them one after another
    // on their queue's track.
    std::int64_t& previous = last_end[stamp.queue];
    const std::uint32_t bits = stamp.queue->timestamp_bits;
    const std::int64_t begin = std::max(clock.ns(ticks[2 * i], bits), previous);
    const std::int64_t end = std::max(clock.ns(ticks[2 * i + 1], bits), begin);
    previous = end;
    (stamp.kind == StampKind::kernel ? kernel_ns_ : copy_ns_) += static_cast<double>(end - begin);
    const trace::Site site{stamp.name, trace::Category::gpu};
    const std::array<trace::Arg, 3> args{
        trace::Arg("kind", stamp.kind == StampKind::kernel ? "kernel" : "copy"),
        trace::Arg("bytes", static_cast<std::int64_t>(stamp.bytes)),
        trace::Arg("flops", static_cast<std::int64_t>(stamp.flops))};
    trace::complete(site, stamp.queue->track, {begin, end, clock.bounded}, args, flow_);
  }
  stamps_.clear();
}

// Device ticks on the trace's clock. A pair of both clocks read at the same moment relates them;
// without such pairs the last interval is assumed to have ended when the host saw it finished.
Timestamps::Anchor Timestamps::anchor(const std::vector<std::uint64_t>& ticks) const {
  const double tick_ns = device_.physical.timestamp_ns;
  if (device_.physical.calibrated_timestamps) {
    const std::array<VkCalibratedTimestampInfoEXT, 2> infos{
        VkCalibratedTimestampInfoEXT{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr,
                                     VK_TIME_DOMAIN_DEVICE_EXT},
        VkCalibratedTimestampInfoEXT{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT, nullptr,
                                     VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT}};
    std::array<std::uint64_t, 2> now;
    std::uint64_t deviation;
    if (device_.vk.calibrated_timestamps(device_.vk.device, 2, infos.data(), now.data(),
                                         &deviation) == VK_SUCCESS)
      return {now[0], static_cast<std::int64_t>(now[1]), tick_ns, false};
  }
  return {*std::max_element(ticks.begin(), ticks.end()), trace::now_ns(), tick_ns, true};
}

}  // namespace metalmom::gpu
