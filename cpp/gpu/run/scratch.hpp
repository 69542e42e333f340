// How much scratch memory the kernels of a piece take.
#pragma once

#include <cstddef>

#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// Counted by recording the piece into a session that submits nothing, so that a kernel need
// not state it as well.
std::size_t scratch_bytes(const Task& task, const Piece& piece);

}  // namespace metalmom::gpu
