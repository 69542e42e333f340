#include "gpu/run/batch_memory.hpp"

#include <algorithm>

#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

std::size_t answer_bytes(const Task& task) {
  std::size_t bytes = 0;
  for (const BatchAnswer* each : task.answers()) bytes += align_up(each->answer_bytes());
  return bytes;
}

BatchMemory::BatchMemory(Device& device, const Task& task) : answers_(task.answers()) {
  const std::size_t most =
      std::min({device.memory.available() / (4 * answers_.size()), device.physical.max_allocation,
                device.physical.info.limits.storage_range});
  for (const BatchAnswer* each : answers_) {
    memory_.push_back(device.allocate(each->shared_bytes(most)));
    slices_.push_back(*memory_.back());
  }
}

// An answer is at the beginning of its memory.
Slice BatchMemory::answer_slice(std::size_t i) const {
  return {slices_[i].buffer, slices_[i].offset, answers_[i]->answer_bytes()};
}

void BatchMemory::own(CommandSession& session) const {
  for (const Allocation& memory : memory_) session.own(memory);
}

void BatchMemory::record_first(CommandSession& session) const {
  own(session);
  for (std::size_t i = 0; i < answers_.size(); ++i) answers_[i]->record_first(session, slices_[i]);
}

void BatchMemory::record_last(CommandSession& session) const {
  for (std::size_t i = 0; i < answers_.size(); ++i) answers_[i]->record_last(session, slices_[i]);
  for (std::size_t i = 0; i < answers_.size(); ++i) session.download(answer_slice(i));
}

void BatchMemory::take_answers(std::span<std::byte* const> answers) const {
  for (std::size_t i = 0; i < answers_.size(); ++i) answers_[i]->take_answer(answers[i]);
}

}  // namespace metalmom::gpu
