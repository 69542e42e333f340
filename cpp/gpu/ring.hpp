// Keeps a device busy with many small pieces of work: each pool thread has its own sessions, fills
// one while the device works on the other, and takes the next job when it has room.
#pragma once

#include <functional>
#include <span>

#include "gpu/command_session.hpp"

namespace metalmom::gpu {

// Job j is items [first[j], first[j + 1]), which one thread starts in order.
struct Ring {
  std::span<const Index> first;
  int workers = 1;
  int depth = 2;  // sessions in flight of each worker
  std::function<std::size_t(Index)> bytes_of;  // that an item's session will hold
};

// `start` records and submits item i, and answers with an item of no job that can be started now,
// or -1; `finish` is called when its work is done. The first exception ends the ring, when what is
// in flight has ended, and is rethrown. What the threads counted is added to the caller's counters.
void run_ring(Device& device, const Ring& ring,
              const std::function<Index(CommandSession&, Index)>& start,
              const std::function<void(CommandSession&, Index)>& finish);

}  // namespace metalmom::gpu
