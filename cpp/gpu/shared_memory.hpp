// What the pieces of a call share, where its kernels answer for the whole batch, and how the answers
// come to the host.
#pragma once

#include <span>
#include <vector>

#include "gpu/command_session.hpp"
#include "gpu/run.hpp"

namespace metalmom::gpu {

class SharedMemory {
 public:
  // Takes the memory, nothing where the task has no such kernel.
  SharedMemory(Device& device, const Task& task);

  std::span<const Slice> slices() const { return slices_; }
  // Of host memory for the answers; 0 where there are none.
  std::size_t answer_bytes() const;

  // For a session that uses the memory: it is the session's until its work is done.
  void own(CommandSession& session) const;
  void record_first(CommandSession& session) const;
  // With the way back of the answers: after the session's work `take_answers` finds them.
  void record_last(CommandSession& session) const;
  void take_answers(const CommandSession& session) const;

 private:
  const Task& task_;
  std::vector<Allocation> memory_;
  std::vector<Slice> slices_;
};

}  // namespace metalmom::gpu
