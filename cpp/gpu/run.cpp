#include "gpu/run.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "gpu/pieces.hpp"
#include "gpu/session_pool.hpp"
#include "gpu/stream.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// Where samples are kept on the device, kernels read parts that are larger by this factor: a few
// clips fill a device. It is no larger because the last part runs when nothing is left to upload
// beside it, and one thread stores its results.
constexpr std::size_t held_targets = 3;

// Bytes of all pieces that are under way together. With the host memory beside them they fit what
// the session pool keeps between calls.
constexpr std::size_t in_flight_bytes = std::size_t{384} << 20;

// `budget`: bytes of the device's memory that a call may take for its pieces.
Cut cut_for(const Device& device, const Task& task, std::size_t budget, std::size_t target,
            bool held) {
  return cut_batch(task, {.binding = device.physical.info.limits.storage_range,
                          .piece = std::min(budget, device.physical.max_allocation),
                          .target = held ? held_targets * target : target,
                          .held = held});
}

// Takes memory for audio that is to be kept on the device. False if there is not enough.
bool make_room(Device& device, const Task& task, KeptAudio& kept) {
  if (kept.data.memory) return kept.data.device == &device;
  const std::size_t bytes = task.inputs()[0].bytes();
  if (bytes > std::min(device.memory.available() / 3, device.physical.max_allocation)) return false;
  kept.data = make_array(device, bytes);
  return true;
}

// Clips whose kernels run together, a multiple of a piece's clips; 0 if that gains nothing over
// pieces.
Index clips_of_group(const Cut& pieces, const Cut& groups, Index batch) {
  const Index of_piece = pieces.pieces[0].n_clips, clips = groups.pieces[0].n_clips;
  if (!groups.pieces[0].first() || !groups.pieces[0].last) return 0;
  if (clips >= batch)
    return pieces.pieces.size() > 1 ? (clips + of_piece - 1) / of_piece * of_piece : 0;
  return clips >= 2 * of_piece ? clips / of_piece * of_piece : 0;
}

void run_once(Device& device, const Task& task, std::span<const float> unchecked,
              std::size_t target, KeptAudio* kept) {
  const std::size_t budget = device.memory.available() / 3;
  Cut cut = cut_for(device, task, budget, target, kept && kept->filled);
  const bool whole = std::ranges::all_of(cut.pieces, [](const Piece& each) {
    return each.first() && each.last;
  });
  const Index group_clips =
      kept && whole && !kept->filled
          ? clips_of_group(cut, cut_for(device, task, budget, target, true), task.batch())
          : 0;
  if (kept && !kept->filled && !kept->is_read_again && group_clips == 0) kept = nullptr;
  if (kept && !whole && !kept->filled) {
    // Pieces of one clip overlap by the frames' reach, so uploading them would upload samples
    // twice: the audio is uploaded as a whole.
    if (!unchecked.empty()) ops::require_finite(unchecked);
    copy_to_device(kept->data, task.inputs()[0].data);
    kept->filled = true;
    unchecked = {};
    cut = cut_for(device, task, budget, target, true);
  }
  const std::size_t piece_bytes =
      bytes_of(task, cut.pieces[cut.pieces.size() / 2], kept && kept->filled).total();
  const auto in_flight = std::clamp<std::size_t>(
      std::min(budget, in_flight_bytes) / std::max<std::size_t>(piece_bytes, 1), 1,
      2 * static_cast<std::size_t>(thread_count()));
  Stream(device, task, std::move(cut), unchecked, kept, group_clips)
      .run(static_cast<int>((in_flight + 1) / 2), in_flight > 1 ? 2 : 1);
  if (kept) kept->filled = true;
}

}  // namespace

void run_streamed(Device& device, const Task& task, std::span<const float> unchecked,
                  KeptAudio* kept) {
  if (task.batch() == 0) return;
  for (std::size_t target = streamed_piece_bytes;; target /= 2) {
    try {
      return run_once(device, task, unchecked, target,
                      kept && make_room(device, task, *kept) ? kept : nullptr);
    } catch (const OutOfDeviceMemory&) {
      // Another process or call may hold the memory: try again in smaller pieces, and keep no
      // audio.
      device.sessions->drain();
      if (kept) *kept = {};
      kept = nullptr;
      device.sessions->trim();
      device.tables.clear();
      device.memory.trim();
      if (target < 4096 || cut_for(device, task, device.memory.available() / 3, target, false).smallest)
        throw;
    }
  }
}

}  // namespace metalmom::gpu
