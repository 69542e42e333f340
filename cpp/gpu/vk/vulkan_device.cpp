#include "gpu/vk/vulkan_device.hpp"

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "base/fork.hpp"
#include "base/interrupt.hpp"
#include "gpu/interop/cuda_device.hpp"
#include "gpu/record/tables.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/vk/completion.hpp"

namespace metalmom::gpu {

namespace {

void assign(Queue& queue, const DeviceFunctions& vk, std::uint32_t family, std::uint32_t index,
            std::uint32_t timestamp_bits, const std::string& track) {
  vk.get_queue(vk.device, family, index, &queue.handle);
  queue.family = family;
  queue.timestamp_bits = timestamp_bits;
  queue.track = trace::track(track);
}

}  // namespace

LogicalDevice::LogicalDevice(const Instance& instance, const PhysicalDevice& physical) {
  const QueueFamilies& families = physical.families;
  const std::array<float, 2> priorities{1, 1};
  std::vector<VkDeviceQueueCreateInfo> queues;
  const auto add = [&](std::uint32_t family, std::uint32_t count) {
    VkDeviceQueueCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    create.queueFamilyIndex = family;
    create.queueCount = count;
    create.pQueuePriorities = priorities.data();
    queues.push_back(create);
  };
  add(families.compute, 1);
  if (families.transfer) add(*families.transfer, std::min(families.transfer_count, 2u));

  const bool has_timeline = physical.info.timeline_semaphores;
  std::vector<const char*> extensions;
  if (physical.needs_extensions && has_timeline)
    extensions.push_back(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
  if (physical.needs_extensions && physical.host_query_reset)
    extensions.push_back(VK_EXT_HOST_QUERY_RESET_EXTENSION_NAME);
  if (physical.memory_budget) extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (physical.calibrated_timestamps)
    extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
  if (physical.exports_timelines) extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  if (physical.exports_memory) extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);

  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, VK_TRUE};
  if (has_timeline) create.pNext = &timeline;
  VkPhysicalDeviceHostQueryResetFeatures query_reset{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, const_cast<void*>(create.pNext),
      VK_TRUE};
  if (physical.host_query_reset) create.pNext = &query_reset;
  create.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  create.pQueueCreateInfos = queues.data();
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(instance.vk().create_device(physical.handle, &create, nullptr, &handle), "vkCreateDevice");
  destroy_ = DeviceFunctions{instance.vk().device_proc, handle}.destroy_device;
}

LogicalDevice::~LogicalDevice() {
  if (handle) destroy_(handle, nullptr);
}

Device::Device(const Instance& the_instance, PhysicalDevice the_physical)
    : logical_(the_instance, the_physical),
      instance(the_instance),
      physical(std::move(the_physical)),
      vk{the_instance.vk().device_proc, logical_.handle},
      overlaps(physical.families.transfer && physical.info.timeline_semaphores &&
               !physical.unified_memory),
      clock(*this, physical.info.timeline_semaphores),
      others(*this, physical.exports_memory, true),
      memory(*this),
      pipelines(*this),
      tables(std::make_unique<Tables>(*this)),
      sessions(std::make_unique<SessionPool>(*this)),
      generation_(fork_generation()) {
  const QueueFamilies& families = physical.families;
  const std::string& name = physical.info.label;
  assign(compute, vk, families.compute, 0, families.compute_timestamps, name + " compute");
  if (!overlaps) return;
  const std::uint32_t second = families.transfer_count > 1 ? 1 : 0;
  assign(upload, vk, *families.transfer, 0, families.transfer_timestamps, name + " upload");
  assign(download, vk, *families.transfer, second, families.transfer_timestamps,
         name + " download");
  // If one queue does both directions, its one lock (the upload's) must serve both.
  download_mutex_ = second ? &download.mutex : &upload.mutex;
}

Device::~Device() = default;

Tick Device::submit(Queue& queue, const QueueSubmit& submission) {
  if (const std::string reason = lost_reason(); !reason.empty()) throw DeviceLost(reason);
  const VkPipelineStageFlags stages[] = {VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT};
  std::array<VkSemaphore, 2> waits, signals;
  std::array<std::uint64_t, 2> wait_values, signal_values;
  VkTimelineSemaphoreSubmitInfo timeline{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timeline.pWaitSemaphoreValues = wait_values.data();
  timeline.pSignalSemaphoreValues = signal_values.data();
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, clock.runs() ? &timeline : nullptr};
  info.commandBufferCount = submission.commands ? 1 : 0;
  info.pCommandBuffers = &submission.commands;
  info.pWaitSemaphores = waits.data();
  info.pWaitDstStageMask = stages;
  info.pSignalSemaphores = signals.data();
  const auto add = [](auto& semaphores, auto& values, std::uint32_t& count, SemaphorePoint point) {
    if (!point.semaphore) return;
    semaphores[count] = point.semaphore;
    values[count++] = point.value;
  };
  add(waits, wait_values, info.waitSemaphoreCount, submission.previous);
  // Submissions to one queue run in their order, so only other queues have to wait for the clock.
  const bool ticks = clock.runs() && &queue == &compute;
  if (submission.after && !ticks)
    add(waits, wait_values, info.waitSemaphoreCount, clock.at(submission.after));
  add(signals, signal_values, info.signalSemaphoreCount, submission.signal);

  VkResult result;
  Tick tick = 0;
  {
    std::lock_guard lock(&queue == &download ? *download_mutex_ : queue.mutex);
    if (ticks) add(signals, signal_values, info.signalSemaphoreCount, clock.next());
    timeline.waitSemaphoreValueCount = info.waitSemaphoreCount;
    timeline.signalSemaphoreValueCount = info.signalSemaphoreCount;
    result = vk.submit(queue.handle, 1, &info, submission.fence);
    if (ticks && result == VK_SUCCESS) tick = clock.tick();
  }
  check_device(result, "vkQueueSubmit");
  return tick;
}

Tick Device::follow_others(Tick tick) {
  if (others.reached(tick)) return 0;
  return submit(compute, {.previous = others.at(tick)});
}

void Device::use_cuda(std::unique_ptr<CudaDevice> cuda) {
  std::lock_guard lock(cuda_mutex_);
  cuda_ = std::move(cuda);
}

CudaDevice& Device::cuda() {
  std::lock_guard lock(cuda_mutex_);
  if (!cuda_) cuda_ = std::make_unique<CudaDevice>(*this);
  return *cuda_;
}

bool Device::reached(const Completion& completion) {
  const VkResult result = completion.poll();
  if (result == VK_NOT_READY) return false;
  check_device(result, "asking for the end of work");
  return true;
}

bool Device::wait(const Completion& completion, std::chrono::nanoseconds limit,
                  std::chrono::microseconds spin_for) {
  if (spin([&] { return reached(completion); }, spin_for)) return true;
  const VkResult result = completion.block(limit);
  if (result == VK_TIMEOUT) return false;
  check_device(result, "waiting for the end of work");
  return true;
}

void Device::wait_interruptibly(Tick tick) {
  const auto over = [&] { return clock.reached(tick); };
  if (over() || spin(over, long_spin)) return;
  for (VkResult result = VK_TIMEOUT; result == VK_TIMEOUT; check_interrupt()) {
    result = clock.block(tick, interrupt_interval);
    if (result != VK_TIMEOUT) check_device(result, "waiting for the end of work");
  }
}

void Device::check_device(VkResult result, const char* call) {
  if (result == VK_ERROR_DEVICE_LOST) {
    std::lock_guard lock(lost_mutex_);
    if (lost_.empty())
      lost_ = name() + " was lost (" + call + ") and is not used again in this process";
    throw DeviceLost(lost_);
  }
  check(result, call);
}

Allocation Device::allocate(std::size_t bytes) {
  try {
    return memory.allocate(bytes);
  } catch (const OutOfDeviceMemory&) {
    sessions->drain();
    trim();
    return memory.allocate(bytes);
  }
}

void Device::trim() {
  sessions->trim();
  tables->clear();
  memory.trim();
}

std::string Device::name() const {
  return "GPU " + std::to_string(physical.info.index) + " (" + physical.info.name + ")";
}

bool Device::in_own_process() const {
  return generation_ == fork_generation();
}

void Device::require_own_process() const {
  if (!in_own_process())
    throw DeviceError(
        "the array is on a device of the process that this one was forked from: bring it to the "
        "host by .numpy() there, or start processes by spawn");
}

std::string Device::lost_reason() const {
  std::lock_guard lock(lost_mutex_);
  return lost_;
}

}  // namespace metalmom::gpu
