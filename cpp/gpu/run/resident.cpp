// Runs a kernel over device arrays: nothing is transferred, and nobody waits.
#include <algorithm>
#include <exception>
#include <numeric>

#include "base/ceil_div.hpp"
#include "gpu/run/part.hpp"
#include "gpu/run/session_pool.hpp"

namespace metalmom::gpu {

namespace {

// Bytes that one call's intermediate results may take.
constexpr std::size_t most_scratch_bytes = std::size_t{512} << 20;

// The least number of clips after which every array has its next clip at an offset that can be
// bound.
Index aligned_clips(const Device& device, const Task& task) {
  const std::size_t alignment = device.physical.bind_alignment;
  std::size_t clips = 1;
  for (const auto arrays : {task.inputs(), task.outputs()})
    for (const HostArray& array : arrays)
      if (array.batch > 1)
        clips = std::max(clips, alignment / std::gcd(alignment, clip_bytes(array)));
  return static_cast<Index>(clips);
}

PieceBytes bytes_of_clips(const Task& task, Index n_clips) {
  return bytes_of(task, whole_clips(0, n_clips, task.units()));
}

struct Together {
  Index clips;
  PieceBytes bytes;  // of so many
};

// The clips whose kernels run together: all of the batch, unless one array is larger than a binding
// may be, or intermediate results take too much memory. They are bound as well, so they must not be
// larger than a binding either.
Together clips_at_a_time(const Device& device, const Task& task) {
  const std::size_t binding = device.physical.info.limits.storage_range;
  Index clips = task.batch();
  PieceBytes bytes = bytes_of_clips(task, clips);
  const std::size_t wanted = std::min({most_scratch_bytes, binding, bytes.scratch + bytes.carry});
  const std::size_t scratch =
      device.memory.keeps(wanted) ? wanted : std::min(wanted, device.share_of_call());
  const Index clip_step = aligned_clips(device, task);
  while (clips > clip_step && (bytes.largest > binding || bytes.scratch + bytes.carry > scratch)) {
    clips = round_up(clips / 2, clip_step);
    bytes = bytes_of_clips(task, clips);
  }
  if (bytes.largest > binding)
    throw DeviceError("a device array is larger than the device can bind to a kernel");
  return {clips, bytes};
}

}  // namespace

void run_resident(Device& device, const Task& task, std::span<const DeviceData> inputs,
                  std::span<const DeviceData> outputs) {
  if (computes_nothing(task)) return;
  const Index batch = task.batch();
  const auto [clips, bytes] = clips_at_a_time(device, task);
  device.sessions->await_room();
  auto session = device.sessions->lease();
  session->begin({.download = answer_bytes(task), .follows = true});
  // The memory does not belong to the session, so that the calls that follow can use it at once.
  const std::size_t scratch_bytes = align_up(bytes.scratch) + align_up(bytes.carry);
  Slice workspace;
  if (scratch_bytes) {
    const Allocation memory = device.allocate(scratch_bytes);
    session->use(memory);
    workspace = *memory;
  }
  Work work{&task};
  ActiveWork active(device, work);
  active.inputs = inputs, active.outputs = outputs;
  const bool has_answers = !task.answers().empty();
  Part part{.work = active, .piece = {}};
  Index clip = 0;
  do {
    part.piece = whole_clips(clip, std::min(clips, batch - clip), task.units());
    part.begins = has_answers && clip == 0;
    clip += clips;
    part.answers = has_answers && clip >= batch;
    session->lend_scratch(workspace);
    part.record(*session);
  } while (clip < batch);
  if (work.error) std::rethrow_exception(work.error);
  session->submit();
  if (!has_answers) return device.sessions->park(std::move(session));
  session->wait_interruptibly();
  part.store(*session);
}

}  // namespace metalmom::gpu
