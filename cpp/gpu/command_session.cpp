#include "gpu/command_session.hpp"

#include <algorithm>

#include "base/counters.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

namespace {

constexpr VkPipelineStageFlags work_stages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags accesses = writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

constexpr trace::Site wait_site{"wait for the GPU", trace::Category::gpu};

bool overlap(const Slice& a, const Slice& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

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

CommandSession::CommandSession(Device& device)
    : device_(device), descriptors_(device.vk), timestamps_(device), completion_(device) {}

CommandSession::~CommandSession() {
  try {
    wait();
  } catch (const std::exception&) {
    // The device is lost: nothing runs any more.
  }
}

Queue& CommandSession::queue(Role role) {
  if (!separate_ || role == computing) return device_.compute;
  return role == uploading ? device_.upload : device_.download;
}

VkCommandBuffer CommandSession::commands(Role role) {
  if (!separate_) role = computing;
  Commands& own = commands_[role];
  if (own.recording) return own.buffer;
  const DeviceFunctions& vk = device_.vk;
  const bool fresh = !own.pool;
  if (fresh) {
    VkCommandPoolCreateInfo create{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    create.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    create.queueFamilyIndex = queue(role).family;
    VkCommandPool pool;
    check(vk.create_command_pool(vk.device, &create, nullptr, &pool), "vkCreateCommandPool");
    own.pool = {vk.device, pool, vk.destroy_command_pool};
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    check(vk.allocate_commands(vk.device, &allocate, &own.buffer), "vkAllocateCommandBuffers");
  } else {
    check(vk.reset_command_pool(vk.device, own.pool, 0), "vkResetCommandPool");
  }
  VkCommandBufferBeginInfo begin_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin_info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  check(vk.begin(own.buffer, &begin_info), "vkBeginCommandBuffer");
  own.recording = true;
  static constexpr trace::Site site{"command buffer", trace::Category::gpu};
  trace::event(site, {{"made", fresh}});
  return own.buffer;
}

void CommandSession::begin(const SessionNeed& need) {
  wait();
  for (Commands& each : commands_) each.recording = false;
  let_go();
  after_ = 0;
  since_barrier_.clear();
  downloads_.clear();
  has_kernels_ = false;
  descriptors_.reset();
  timestamps_.reset(need.timed);
  separate_ = need.overlapped && device_.overlaps;
  if (!workspace_ || workspace_->bytes < need.workspace) {
    workspace_.reset();  // before the new one is made: both need not fit
    if (need.workspace) workspace_ = device_.memory.allocate(need.workspace);
  }
  lend_scratch(workspace_ ? Slice(*workspace_) : Slice{});
  reserve(upload_memory_, need.upload);
  reserve(download_memory_, need.download);
  device_.memory.sample();
  if (need.follows) full_barrier();
  if (workspace_) come_after(*workspace_);
}

std::byte* CommandSession::upload(Slice target) {
  Slice source;
  std::byte* host = upload_memory_.take(target.bytes, source);
  copy(uploading, source, target, "upload");
  counters().uploaded_bytes += target.bytes;
  return host;
}

void CommandSession::download(Slice source) {
  Slice target;
  downloads_.push_back(download_memory_.take(source.bytes, target));
  copy(downloading, source, target, "download");
  counters().downloaded_bytes += source.bytes;
}

void CommandSession::copy(Role role, Slice source, Slice target, const char* name) {
  // Between queues the semaphore orders; within one queue a barrier must.
  const Binding uses[] = {read(source), write(target)};
  if (!separate_) barrier_before(uses);
  const VkCommandBuffer buffer = commands(role);
  const bool timed = timestamps_.open(buffer, queue(role), name, StampKind::copy,
                                      static_cast<double>(source.bytes), 0);
  const Label label(device_.instance, buffer, name);
  const VkBufferCopy region{source.offset, target.offset, source.bytes};
  device_.vk.cmd_copy(buffer, source.buffer->handle(), target.buffer->handle(), 1, &region);
  if (timed) timestamps_.close(buffer);
}

void CommandSession::fill(Slice slice, std::uint32_t word) {
  const Binding use = write(slice);
  barrier_before({&use, 1});
  const VkCommandBuffer buffer = commands(computing);
  const Label label(device_.instance, buffer, "fill");
  device_.vk.cmd_fill(buffer, slice.buffer->handle(), slice.offset, (slice.bytes + 3) / 4 * 4,
                      word);
}

// One global barrier when a use collides with any since the last one: kernels that touch different
// memory run side by side.
void CommandSession::barrier_before(std::span<const Binding> bindings) {
  const auto collides = [&](const Binding& now) {
    return std::any_of(since_barrier_.begin(), since_barrier_.end(), [&](const Binding& before) {
      return (now.access != Access::read || before.access != Access::read) &&
             overlap(now.slice, before.slice);
    });
  };
  if (std::any_of(bindings.begin(), bindings.end(), collides)) {
    full_barrier();
    since_barrier_.clear();
  }
  since_barrier_.insert(since_barrier_.end(), bindings.begin(), bindings.end());
}

void CommandSession::full_barrier() {
  const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, accesses};
  device_.vk.cmd_barrier(commands(computing), work_stages, work_stages, 0, 1, &barrier, 0, nullptr,
                         0, nullptr);
}

void CommandSession::record(const Shader& shader, Groups groups, std::span<const Binding> bindings,
                            std::span<const std::byte> push, const KernelWork& work) {
  if (groups.x == 0 || groups.y == 0 || groups.z == 0) return;
  const DeviceFunctions& vk = device_.vk;
  const Pipeline& pipeline = device_.pipelines.get(shader, bindings.size(), push.size());
  barrier_before(bindings);
  const VkCommandBuffer buffer = commands(computing);
  const VkDescriptorSet set = descriptors_.make(pipeline.set_layout, bindings);
  const char* name = work.name ? work.name : pipeline.name.c_str();
  const bool timed =
      timestamps_.open(buffer, device_.compute, name, StampKind::kernel, work.bytes, work.flops);
  const Label label(device_.instance, buffer, name);
  vk.cmd_bind_pipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  vk.cmd_bind_sets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &set, 0, nullptr);
  vk.cmd_push_constants(buffer, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<std::uint32_t>(push.size()), push.data());
  has_kernels_ = true;
  vk.cmd_dispatch(buffer, groups.x, groups.y, groups.z);
  if (timed) timestamps_.close(buffer);
}

void CommandSession::submit() {
  static constexpr trace::Site site{"submit to the GPU", trace::Category::gpu};
  const trace::Span span(site);  // what the driver takes; the arrows to the kernels start inside
  commands(computing);           // even if there are only copies, something signals
  const VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_HOST_READ_BIT};
  if (download_memory_.used)
    device_.vk.cmd_barrier(commands(downloading), VK_PIPELINE_STAGE_TRANSFER_BIT,
                           VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0, nullptr);
  for (const Commands& each : commands_)
    if (each.recording) check(device_.vk.end(each.buffer), "vkEndCommandBuffer");
  timestamps_.submitted();
  in_flight_ = true;
  bool waits = false;
  for (const Role role : {uploading, computing, downloading}) {
    if (!commands_[role].recording) continue;
    const Tick tick = completion_.submit(queue(role), commands_[role].buffer, waits, after_);
    waits = true;
    if (tick == 0) continue;
    for (const Allocation& memory : used_) memory->used_until(tick);
    used_.clear();
  }
  // Without a clock it is this session's until the work is done.
  kept_.insert(kept_.end(), used_.begin(), used_.end());
  used_.clear();
  if (has_kernels_) ++counters().submits;
}

bool CommandSession::wait_for(std::chrono::nanoseconds limit) {
  if (!in_flight_) return true;
  {
    const trace::Span span(wait_site);
    if (!device_.wait(completion_, limit)) return false;
  }
  in_flight_ = false;
  finish();
  return true;
}

bool CommandSession::done() {
  if (!in_flight_) return true;
  if (!device_.reached(completion_)) return false;
  in_flight_ = false;
  finish();
  return true;
}

void CommandSession::finish() {
  kept_.clear();
  timestamps_.collect();
}

}  // namespace metalmom::gpu
