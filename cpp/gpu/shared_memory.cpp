#include "gpu/shared_memory.hpp"

#include <algorithm>

#include "gpu/vulkan_device.hpp"

namespace metalmom::gpu {

SharedMemory::SharedMemory(Device& device, const Task& task) : task_(task) {
  if (task.n_shared() == 0) return;
  const std::size_t most = std::min({device.memory.available() / (4 * task.n_shared()),
                                     device.physical.max_allocation,
                                     device.physical.info.limits.storage_range});
  for (std::size_t i = 0; i < task.n_shared(); ++i) {
    memory_.push_back(device.allocate(task.shared_bytes(i, most)));
    slices_.push_back(*memory_.back());
  }
}

std::size_t SharedMemory::answer_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < memory_.size(); ++i) bytes += align_up(task_.answer_bytes(i));
  return bytes;
}

void SharedMemory::own(CommandSession& session) const {
  for (const Allocation& memory : memory_) session.own(memory);
}

void SharedMemory::record_first(CommandSession& session) const {
  own(session);
  task_.record_first(session, slices_);
}

void SharedMemory::record_last(CommandSession& session) const {
  task_.record_last(session, slices_);
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const Slice& all = slices_[i];
    session.download({all.buffer, all.offset, task_.answer_bytes(i)});
  }
}

void SharedMemory::take_answers(const CommandSession& session) const {
  const std::vector<const std::byte*> answers(session.downloads().begin(),
                                              session.downloads().end());
  task_.take_answers(answers);
}

}  // namespace metalmom::gpu
