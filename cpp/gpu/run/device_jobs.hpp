// Keeps a device busy with many small pieces of work: each pool thread has its own sessions, fills
// one while the device works on the other, and takes the next job when it has room.
#pragma once

#include <functional>
#include <span>

#include "gpu/record/command_session.hpp"

namespace metalmom::gpu {

// The work of a device. Job j is items [first[j], first[j + 1]), which one thread starts in order.
struct DeviceJobs {
  Device& device;
  std::span<const Index> first;
  int most_in_flight = 1;                      // sessions, two of a thread
  std::function<std::size_t(Index)> bytes_of;  // that an item's session will hold
  // Records and submits an item. Returns a further item, of no job, that can be started now, or -1.
  std::function<Index(CommandSession&, Index)> start;
  std::function<void(CommandSession&, Index)> finish;  // called when its work is done
};

// Sessions of so many bytes that may be in flight on a device: two for each thread, as far as they
// fit `budget` bytes of its memory and can be kept for the next call.
int sessions_in_flight(std::size_t session_bytes, std::size_t budget);

// The first exception ends all jobs, when what is in flight has ended, and is rethrown. What the
// threads counted is added to the caller's counters.
void run_jobs(const DeviceJobs& jobs);

}  // namespace metalmom::gpu
