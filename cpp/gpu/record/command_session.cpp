#include "gpu/record/command_session.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"
#include "base/counters.hpp"
#include "base/probes.hpp"
#include "gpu/record/tables.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

namespace {

constexpr trace::Site wait_site{"wait for the GPU", trace::Category::gpu};

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

CommandSession::CommandSession(Device& device)
    : device_(device), descriptors_(device.vk), timestamps_(device), completion_(device) {}

CommandSession::~CommandSession() {
  try {
    wait();
  } catch (const std::exception&) {
    // The device is lost, so nothing runs on it that the session would have to wait for.
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
    Owned<VkCommandPool> made(vk.device, pool, vk.destroy_command_pool);
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    check(vk.allocate_commands(vk.device, &allocate, &own.buffer), "vkAllocateCommandBuffers");
    own.pool = std::move(made);
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
  forget_made();
  schedule_.clear();
  steps_.clear();
  copies_back_.clear();
  downloads_.clear();
  has_uploads_ = false;
  descriptors_.reset();
  timestamps_.reset(need.timed);
  separate_ = need.overlapped && device_.overlaps;
  if (!workspace_ || workspace_->bytes < need.workspace) {
    workspace_.reset();  // before the new one is made: there may not be memory for both
    if (need.workspace) workspace_ = device_.memory.allocate(need.workspace);
  }
  lend_scratch(workspace_ ? Slice(*workspace_) : Slice{});
  if (!device_.physical.unified_memory) {
    reserve(upload_memory_, need.upload);
    reserve(download_memory_, need.download);
  }
  device_.memory.sample();
  if (need.follows) full_barrier();
  if (workspace_) come_after(*workspace_);
}

std::byte* CommandSession::upload(Slice target) {
  counters().uploaded_bytes += target.bytes;
  if (std::byte* const in_place = target.buffer->mapped()) {
    device_.wait_interruptibly(after_);
    return in_place + target.offset;
  }
  Slice source;
  std::byte* host = upload_memory_.take(target.bytes, source);
  record_copy(uploading, {source, target}, "upload");
  has_uploads_ = true;
  return host;
}

// Slices that follow one another on the device, as a piece's results do, become one copy.
void CommandSession::download(Slice source) {
  counters().downloaded_bytes += source.bytes;
  if (std::byte* const in_place = source.buffer->mapped()) {
    downloads_.push_back(in_place + source.offset);
    return;
  }
  Slice target;
  downloads_.push_back(download_memory_.take(source.bytes, target));
  if (!copies_back_.empty()) {
    auto& [from, to] = copies_back_.back();
    const std::size_t step = align_up(from.bytes);
    if (source.buffer == from.buffer && source.offset == from.offset + step &&
        target.offset == to.offset + step) {
      from.bytes = to.bytes = step + source.bytes;
      return;
    }
  }
  copies_back_.push_back({source, target});
}

void CommandSession::fill(Slice slice, std::uint32_t word) {
  const Binding use = Write(slice);
  schedule_.add({&use, 1});
  steps_.push_back(Fill{slice, word});
}

void CommandSession::record(const Shader& shader, Groups groups, std::span<const Binding> bindings,
                            std::span<const std::byte> push, const KernelWork& work) {
  if (groups.x == 0 || groups.y == 0 || groups.z == 0) return;
  Dispatch dispatch;
  dispatch.pipeline = device_.pipelines.get(shader, bindings.size(), push.size());
  dispatch.set = descriptors_.make(dispatch.pipeline->set_layout, bindings);
  dispatch.groups = groups;
  dispatch.work = work;
  dispatch.push_bytes = static_cast<std::uint32_t>(push.size());
  std::ranges::copy(push, dispatch.push.begin());
  schedule_.add(bindings);
  steps_.push_back(std::move(dispatch));
}

void CommandSession::submit() {
  static constexpr trace::Site site{"submit to the GPU", trace::Category::gpu};
  // the driver's part; the trace's arrows to the kernels start inside this span
  trace::Span span(site);
  const bool has_kernels = std::ranges::any_of(
      steps_, [](const Step& each) { return std::holds_alternative<Dispatch>(each); });
  record_steps();
  record_downloads();
  // Results alone come back in a queue of their own, after their work, and not after all that
  // others have submitted since. All else goes by the compute queue, which shows when memory is
  // free.
  const bool only_brings_back =
      separate_ && !has_uploads_ && steps_.empty() && download_memory_.used;
  if (only_brings_back)  // that the host saw their end does not show them to another queue
    for (const Allocation& memory : used_) after_ = std::max(after_, memory->busy_until.load());
  else
    commands(computing);
  if (device_.physical.unified_memory || download_memory_.used) barrier_to_host();
  for (const Commands& each : commands_)
    if (each.recording) check(device_.vk.end(each.buffer), "vkEndCommandBuffer");
  span.arg("phases", static_cast<std::int64_t>(schedule_.n_phases()));
  timestamps_.submitted();
  in_flight_ = true;
  probes::submission_begin(device_.physical.info.name.c_str(), this);
  bool waits = false;
  for (const Role role : {uploading, computing, downloading}) {
    if (!commands_[role].recording) continue;
    const Tick tick = completion_.submit(queue(role), commands_[role].buffer, waits, after_);
    waits = true;
    if (tick == 0) continue;
    for (const Allocation& memory : used_) memory->used_until(tick);
    used_.clear();
  }
  // Without a tick nobody can know when the memory is free: the session keeps it until it is done.
  kept_.insert(kept_.end(), used_.begin(), used_.end());
  used_.clear();
  if (has_kernels) ++counters().submits;
}

bool CommandSession::wait_for(std::chrono::nanoseconds limit, std::chrono::microseconds spin_for) {
  if (!in_flight_) return true;
  if (!wait_beside(limit, spin_for)) return false;
  in_flight_ = false;
  finish();
  return true;
}

bool CommandSession::wait_beside(std::chrono::nanoseconds limit,
                                 std::chrono::microseconds spin_for) const {
  const trace::Span span(wait_site);
  return device_.wait(completion_, limit, spin_for);
}

bool CommandSession::done() {
  if (!in_flight_) return true;
  if (!device_.reached(completion_)) return false;
  in_flight_ = false;
  finish();
  return true;
}

void CommandSession::finish() {
  probes::submission_end(device_.physical.info.name.c_str(), this);
  kept_.clear();
  timestamps_.collect();
}

void CommandSession::own(const Allocation& memory) {
  come_after(*memory);
  kept_.push_back(memory);
}

// Lets this session's work come after earlier work on the memory. Within the compute queue a
// barrier does that; transfers on queues of their own wait for the clock.
void CommandSession::come_after(const OwnedSlice& memory) {
  const Tick busy_until = memory.busy_until.load(std::memory_order_relaxed);
  if (device_.clock.reached(busy_until)) return;
  after_ = std::max(after_, busy_until);
  full_barrier();
}

void CommandSession::reserve(HostMemory& memory, std::size_t bytes) {
  memory.used = 0;
  if (bytes == 0 || (memory.buffer && memory.buffer->bytes() >= bytes)) return;
  memory.buffer.reset();
  memory.buffer = device_.memory.host_buffer(bytes);
}

std::byte* CommandSession::HostMemory::take(std::size_t bytes, Slice& slice) {
  slice = {buffer.get(), used, bytes};
  used += align_up(bytes);
  return buffer->mapped() + slice.offset;
}

Slice CommandSession::scratch(std::size_t bytes) {
  const std::size_t rounded = align_up(bytes);
  if (scratch_used_ + rounded <= scratch_.bytes) {
    const Slice slice{scratch_.buffer, scratch_.offset + scratch_used_, bytes};
    scratch_used_ += rounded;
    return slice;
  }
  const Allocation extra = device_.memory.allocate(bytes);
  own(extra);
  return *extra;
}

Slice CommandSession::table(std::string_view kind, std::span<const std::byte> source,
                            const std::function<std::vector<float>()>& make) {
  Allocation found = device_.tables->get(kind, source, make);
  kept_.push_back(found);
  return *found;
}

std::size_t CommandSession::held_bytes() const {
  return (workspace_ ? workspace_->bytes : 0) +
         (upload_memory_.buffer ? upload_memory_.buffer->bytes() : 0) +
         (download_memory_.buffer ? download_memory_.buffer->bytes() : 0);
}

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
  const char* name = step.work.name ? step.work.name : pipeline.name;
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
