// Keeps devices busy with many small pieces of work: each pool thread has its own sessions, fills
// one while a device works on the other, and takes the next job when it has room.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "gpu/command_session.hpp"

namespace metalmom::gpu {

// The work of one device. Job j is items [first[j], first[j + 1]), which one thread starts in
// order.
struct DeviceJobs {
  Device& device;
  std::span<const Index> first;
  int enough_in_flight = 1;  // sessions in flight with which no further job is begun
  std::function<std::size_t(Index)> bytes_of;  // that an item's session will hold
  // Records and submits an item. Returns a further item, of no job, that can be started now, or -1.
  std::function<Index(CommandSession&, Index)> start;
  std::function<void(CommandSession&, Index)> finish;  // called when its work is done
};

// Sessions of so many bytes that may be in flight on a device: two for each thread, as far as they fit
// `budget` bytes of its memory and can be kept for the next call.
int sessions_in_flight(std::size_t session_bytes, std::size_t budget);

// Each of the `workers` has at most `depth` sessions in flight, and takes its next job from the
// device that has fewest. The first exception ends all of them, when what is in flight has ended,
// and is rethrown; `failed` is then the device that it came from. What the threads counted is added
// to the caller's counters.
void run_jobs(std::span<const DeviceJobs> devices, int workers, int depth,
              std::atomic<Device*>* failed = nullptr);

}  // namespace metalmom::gpu
