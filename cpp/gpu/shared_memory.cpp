#include "gpu/shared_memory.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/vulkan_device.hpp"

namespace metalmom::gpu {

SharedMemory::SharedMemory(Device& device, const Task& task) : device_(device), task_(task) {
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

void SharedMemory::submit_round(CommandSession& session, std::size_t i, int round,
                                const std::vector<std::byte>& merged) const {
  const Slice& all = slices_[i];
  const Slice answer{all.buffer, all.offset, task_.answer_bytes(i)};
  const std::size_t bytes = align_up(answer.bytes);
  session.begin({.upload = round > 0 ? bytes : 0, .download = bytes, .follows = true});
  own(session);
  if (round > 0) std::memcpy(session.upload(answer), merged.data(), answer.bytes);
  task_.record_round(session, i, all, round);
  session.download(answer);
  session.submit();
}

void SharedMemory::answer_together(std::span<const SharedMemory* const> parts,
                                   std::atomic<Device*>* failed) {
  const Task& task = parts[0]->task_;
  const auto each_part = [&](auto&& call) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      *failed = &parts[k]->device_;
      call(*parts[k], k);
    }
  };
  std::vector<std::vector<std::vector<std::byte>>> answers(task.n_shared());
  std::vector<const std::byte*> found;
  for (std::size_t i = 0; i < task.n_shared(); ++i) {
    auto& merged = answers[i];
    merged.resize(parts.size());
    std::vector<Slice> slices;
    for (const SharedMemory* each : parts) slices.push_back(each->slices_[i]);
    for (int round = 0; round < task.rounds(i); ++round) {
      std::vector<SessionPool::Lease> sessions;
      each_part([&](const SharedMemory& part, std::size_t k) {
        sessions.push_back(part.device_.sessions->lease());
        part.submit_round(*sessions[k], i, round, merged[k]);
      });
      each_part([&](const SharedMemory&, std::size_t k) {
        sessions[k]->wait_interruptibly();
        const std::byte* const bytes = sessions[k]->downloads()[0];
        merged[k].assign(bytes, bytes + task.answer_bytes(i));
      });
      task.merge(i, slices, merged, round);
    }
    found.push_back(merged[0].data());
  }
  *failed = nullptr;
  task.take_answers(found);
}

}  // namespace metalmom::gpu
