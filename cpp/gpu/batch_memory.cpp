#include "gpu/batch_memory.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/vulkan_device.hpp"

namespace metalmom::gpu {

BatchMemory::BatchMemory(Device& device, const Task& task)
    : device_(device), answers_(task.answers()) {
  if (answers_.empty()) return;
  const std::size_t most =
      std::min({device.memory.available() / (4 * answers_.size()), device.physical.max_allocation,
                device.physical.info.limits.storage_range});
  for (const BatchAnswer* each : answers_) {
    memory_.push_back(device.allocate(each->shared_bytes(most)));
    slices_.push_back(*memory_.back());
  }
}

std::size_t BatchMemory::answer_bytes() const {
  std::size_t bytes = 0;
  for (const BatchAnswer* each : answers_) bytes += align_up(each->answer_bytes());
  return bytes;
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

void BatchMemory::submit_round(CommandSession& session, std::size_t i, int round,
                               const std::vector<std::byte>& merged) const {
  const Slice answer = answer_slice(i);
  const std::size_t bytes = align_up(answer.bytes);
  session.begin({.upload = round > 0 ? bytes : 0, .download = bytes, .follows = true});
  own(session);
  if (round > 0) std::memcpy(session.upload(answer), merged.data(), answer.bytes);
  answers_[i]->record_round(session, slices_[i], round);
  session.download(answer);
  session.submit();
}

void BatchMemory::answer_together(std::span<const BatchMemory* const> parts,
                                  std::atomic<Device*>* failed) {
  const auto& answers = parts[0]->answers_;
  const auto each_part = [&](auto&& call) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      *failed = &parts[k]->device_;
      call(*parts[k], k);
    }
  };
  // All are found before one is taken: a device may fail in between.
  std::vector<std::vector<std::byte>> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    std::vector<std::vector<std::byte>> merged(parts.size());
    std::vector<Slice> slices;
    for (const BatchMemory* each : parts) slices.push_back(each->slices_[i]);
    for (int round = 0; round < answers[i]->rounds(); ++round) {
      std::vector<SessionPool::Lease> sessions;
      each_part([&](const BatchMemory& part, std::size_t k) {
        sessions.push_back(part.device_.sessions->lease());
        part.submit_round(*sessions[k], i, round, merged[k]);
      });
      each_part([&](const BatchMemory&, std::size_t k) {
        sessions[k]->wait_interruptibly();
        const std::byte* const bytes = sessions[k]->downloads()[0];
        merged[k].assign(bytes, bytes + answers[i]->answer_bytes());
      });
      answers[i]->merge(slices, merged, round);
    }
    found.push_back(std::move(merged[0]));
  }
  *failed = nullptr;
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i]->take_answer(found[i].data());
}

}  // namespace metalmom::gpu
