// The results of a piece, from its kernels to the host arrays that they belong to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/record/command_session.hpp"
#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// Device memory for the parts of a task's outputs that a piece writes, in their order.
std::vector<Slice> make_results(CommandSession& session, const Task& task, const Piece& piece);
// Copies to host memory those that have bytes.
void download_results(CommandSession& session, std::span<const Slice> results);
// Stores in the task's outputs what `downloads` begins with; returns how many of them that were.
std::size_t store_results(const Task& task, const Piece& piece,
                          std::span<std::byte* const> downloads);

}  // namespace metalmom::gpu
