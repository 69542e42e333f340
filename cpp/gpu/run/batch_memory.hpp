// The memory that the pieces of a call share on a device, where its kernels answer for the whole
// batch, and how the answers come to the host.
#pragma once

#include <span>
#include <vector>

#include "gpu/record/command_session.hpp"
#include "gpu/run/batch_answer.hpp"
#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// Bytes of host memory that the answers of a task take; 0 if there are none.
std::size_t answer_bytes(const Task& task);

class BatchMemory {
 public:
  // Allocates the memory.
  BatchMemory(Device& device, const Task& task);

  // One for each answer, in the order of Task::answers.
  std::span<const Slice> slices() const { return slices_; }

  // To be called for each session that uses the memory, which then keeps it until its work is done.
  void own(CommandSession& session) const;
  void record_first(CommandSession& session) const;
  // Records the last kernels and the copies of the answers.
  void record_last(CommandSession& session) const;
  // After that work, `answers` being the downloads from where these copies begin.
  void take_answers(std::span<std::byte* const> answers) const;

 private:
  Slice answer_slice(std::size_t i) const;

  const std::vector<const BatchAnswer*> answers_;
  std::vector<Allocation> memory_;
  std::vector<Slice> slices_;
};

}  // namespace metalmom::gpu
