// What a session takes of device and host memory, and after whose work.
#include <algorithm>

#include "gpu/command_session.hpp"

namespace metalmom::gpu {

void CommandSession::own(const Allocation& memory) {
  come_after(*memory);
  kept_.push_back(memory);
}

// Lets this session's work come after earlier work on the memory. Within the compute queue a
// barrier does that; transfers on queues of their own wait for the clock.
void CommandSession::come_after(const OwnedSlice& memory) {
  const Tick busy_until = memory.busy_until.load(std::memory_order_relaxed);
  if (device_.clock.reached(busy_until)) return;
  after_ = std::max(after_, busy_until);
  full_barrier();
}

void CommandSession::reserve(HostMemory& memory, std::size_t bytes) {
  memory.used = 0;
  if (bytes == 0 || (memory.buffer && memory.buffer->bytes() >= bytes)) return;
  memory.buffer.reset();
  memory.buffer = device_.memory.host_buffer(bytes);
}

std::byte* CommandSession::HostMemory::take(std::size_t bytes, Slice& slice) {
  slice = {buffer.get(), used, bytes};
  used += align_up(bytes);
  return buffer->mapped() + slice.offset;
}

Slice CommandSession::scratch(std::size_t bytes) {
  const std::size_t rounded = align_up(bytes);
  if (scratch_used_ + rounded <= scratch_.bytes) {
    const Slice slice{scratch_.buffer, scratch_.offset + scratch_used_, bytes};
    scratch_used_ += rounded;
    return slice;
  }
  const Allocation extra = device_.memory.allocate(bytes);
  own(extra);
  return *extra;
}

Slice CommandSession::table(std::string_view kind, std::span<const std::byte> source,
                            const std::function<std::vector<float>()>& make) {
  Allocation found = device_.tables.get(kind, source, make);
  kept_.push_back(found);
  return *found;
}

std::size_t CommandSession::held_bytes() const {
  return (workspace_ ? workspace_->bytes : 0) +
         (upload_memory_.buffer ? upload_memory_.buffer->bytes() : 0) +
         (download_memory_.buffer ? download_memory_.buffer->bytes() : 0);
}

}  // namespace metalmom::gpu
