// How what a session was told goes into its command buffers.
#include <algorithm>

#include "base/ceil_div.hpp"
#include "gpu/command_session.hpp"

namespace metalmom::gpu {

namespace {

constexpr VkPipelineStageFlags copy_stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags work_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | copy_stage;
constexpr VkAccessFlags copy_writes = VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | copy_writes;
constexpr VkAccessFlags accesses = writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

// A name around commands for tools that look at them, such as RenderDoc and Nsight.
class Label {
 public:
  Label(const Instance& instance, VkCommandBuffer buffer, const char* name)
      : instance_(instance), buffer_(buffer) {
    if (!instance_.has_labels()) return;
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = name;
    instance_.vk().begin_label(buffer_, &label);
  }
  ~Label() {
    if (instance_.has_labels()) instance_.vk().end_label(buffer_);
  }
  Label(const Label&) = delete;

 private:
  const Instance& instance_;
  VkCommandBuffer buffer_;
};

}  // namespace

void CommandSession::full_barrier() {
  const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, accesses};
  device_.vk.cmd_barrier(commands(computing), work_stages, work_stages, 0, 1, &barrier, 0, nullptr,
                         0, nullptr);
}

// Where memory is unified the host reads what kernels wrote, else what was copied for it.
void CommandSession::barrier_to_host() {
  const bool in_place = device_.physical.unified_memory.has_value();
  const VkPipelineStageFlags stages = in_place ? work_stages : copy_stage;
  const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                in_place ? writes : copy_writes, VK_ACCESS_HOST_READ_BIT};
  device_.vk.cmd_barrier(commands(downloading), stages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                         0, nullptr, 0, nullptr);
}

// Between queues the semaphore orders copies and kernels; within one queue a barrier must.
void CommandSession::record_steps() {
  if (has_uploads_ && !separate_ && !steps_.empty()) full_barrier();
  for (std::uint32_t phase = 0; phase < schedule_.n_phases(); ++phase) {
    if (phase > 0) full_barrier();
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (schedule_.phase(i) == phase)
        std::visit([&](const auto& step) { record_step(commands(computing), step); }, steps_[i]);
  }
}

void CommandSession::record_step(VkCommandBuffer buffer, const Fill& step) {
  const Label label(device_.instance, buffer, "fill");
  device_.vk.cmd_fill(buffer, step.slice.buffer->handle(), step.slice.offset,
                      round_up(step.slice.bytes, sizeof step.word), step.word);
}

void CommandSession::record_step(VkCommandBuffer buffer, const Dispatch& step) {
  const DeviceFunctions& vk = device_.vk;
  const Pipeline& pipeline = *step.pipeline;
  const char* name = step.work.name ? step.work.name : pipeline.name.c_str();
  const bool timed = timestamps_.open(buffer, device_.compute, name, StampKind::kernel,
                                      step.work.bytes, step.work.flops);
  const Label label(device_.instance, buffer, name);
  vk.cmd_bind_pipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  vk.cmd_bind_sets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &step.set, 0,
                   nullptr);
  vk.cmd_push_constants(buffer, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, step.push_bytes,
                        step.push.data());
  vk.cmd_dispatch(buffer, step.groups.x, step.groups.y, step.groups.z);
  if (timed) timestamps_.close(buffer);
}

void CommandSession::record_downloads() {
  if (!copies_back_.empty() && !separate_ && !(steps_.empty() && !has_uploads_)) full_barrier();
  for (const Copy& each : copies_back_) record_copy(downloading, each, "download");
}

void CommandSession::record_copy(Role role, const Copy& copy, const char* name) {
  const VkCommandBuffer buffer = commands(role);
  const bool timed = timestamps_.open(buffer, queue(role), name, StampKind::copy,
                                      static_cast<double>(copy.source.bytes), 0);
  const Label label(device_.instance, buffer, name);
  const VkBufferCopy region{copy.source.offset, copy.target.offset, copy.source.bytes};
  device_.vk.cmd_copy(buffer, copy.source.buffer->handle(), copy.target.buffer->handle(), 1,
                      &region);
  if (timed) timestamps_.close(buffer);
}

}  // namespace metalmom::gpu
