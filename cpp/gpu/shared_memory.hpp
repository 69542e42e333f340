// What the pieces of a call share, where its kernels answer for the whole batch, and how the
// answers come to the host.
#pragma once

#include <span>
#include <vector>

#include "gpu/command_session.hpp"
#include "gpu/run.hpp"

namespace metalmom::gpu {

class SharedMemory {
 public:
  // Allocates the memory; nothing if the task has no kernel that answers for the whole batch.
  SharedMemory(Device& device, const Task& task);

  std::span<const Slice> slices() const { return slices_; }
  // Bytes of host memory that the answers take; 0 if there are none.
  std::size_t answer_bytes() const;

  // To be called for each session that uses the memory, which then keeps it until its work is done.
  void own(CommandSession& session) const;
  void record_first(CommandSession& session) const;
  // Records the last kernels and the copy of the answers, which `take_answers` reads after the
  // work.
  void record_last(CommandSession& session) const;
  void take_answers(const CommandSession& session) const;

 private:
  const Task& task_;
  std::vector<Allocation> memory_;
  std::vector<Slice> slices_;
};

}  // namespace metalmom::gpu
