#include "gpu/run/run.hpp"

#include <algorithm>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "gpu/run/piece_run.hpp"
#include "gpu/run/pieces.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// Where samples are kept on the device, kernels read parts that are larger by this factor: a few
// clips fill a device. It is no larger because the last part runs when nothing is left to upload
// beside it, and one thread stores its results.
constexpr std::size_t held_targets = 3;

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
  if (kept.data.memory) return true;
  const std::size_t bytes = task.inputs()[0].bytes();
  if (bytes > std::min(device.share_of_call(), device.physical.max_allocation)) return false;
  kept.data = make_array(device, bytes);
  return true;
}

// Clips whose kernels run together, a multiple of a piece's clips; 0 if that gains nothing over
// pieces.
Index clips_of_group(const Cut& pieces, const Cut& groups, Index batch) {
  const Index of_piece = pieces.pieces[0].n_clips, clips = groups.pieces[0].n_clips;
  if (!groups.pieces[0].has_whole_clips()) return 0;
  if (clips >= batch) return pieces.pieces.size() > 1 ? round_up(clips, of_piece) : 0;
  return clips >= 2 * of_piece ? clips / of_piece * of_piece : 0;
}

bool has_whole_clips(const Cut& cut) {
  return std::ranges::all_of(cut.pieces, &Piece::has_whole_clips);
}

// A task on its way through a device, and the audio that it keeps there, or null.
class StreamedRun {
 public:
  StreamedRun(Device& device, const Task& task, std::span<const float> unchecked, KeptAudio* kept)
      : device_(device), task_(task), unchecked_(unchecked), kept_(kept) {}

  void run() {
    for (std::size_t target = streamed_piece_bytes;; target /= 2) {
      try {
        return run_once(target);
      } catch (const OutOfDeviceMemory&) {
        // Another process or call may hold the memory: what the device only keeps is given back,
        // and smaller pieces are tried.
        device_.sessions->drain();
        keep_nothing();
        device_.trim();
        if (target < 4096 ||
            cut_for(device_, task_, device_.share_of_call(), target, false).smallest)
          throw;
      }
    }
  }

 private:
  void run_once(std::size_t target) {
    if (kept_ && !make_room(device_, task_, *kept_)) kept_ = nullptr;
    const std::size_t budget = device_.share_of_call();
    auto [cut, audio] =
        cut_as([&](bool is_there) { return cut_for(device_, task_, budget, target, is_there); });
    PieceRun pieces(device_, task_, std::move(cut), audio, unchecked_);
    pieces.run(sessions_in_flight(pieces.largest_session(), budget));
    if (kept_) kept_->filled = true;
  }

  void keep_nothing() {
    if (kept_) kept_->give_up();
    kept_ = nullptr;
  }

  // The pieces, and how audio comes to their kernels. Gives up its place on the device where
  // nothing is gained by it. `cut(true)`: the cut if the audio is there already, `cut(false)`: if
  // pieces upload it.
  std::pair<Cut, Audio> cut_as(const auto& cut) {
    if (kept_ && kept_->filled) return {cut(true), {AudioWay::is_there, kept_}};
    Cut uploaded = cut(false);
    if (!kept_) return {std::move(uploaded), {}};
    const bool whole = has_whole_clips(uploaded);
    if (const Index clips = whole ? clips_of_group(uploaded, cut(true), task_.batch()) : 0)
      return {std::move(uploaded), {AudioWay::before_groups, kept_, clips}};
    if (!kept_->is_read_again) {
      keep_nothing();
      return {std::move(uploaded), {}};
    }
    if (whole) return {std::move(uploaded), {AudioWay::piece_by_piece, kept_}};
    // Pieces of one clip overlap by the frames' reach, so uploading them would upload samples
    // twice: the audio is uploaded as a whole.
    ops::require_finite(std::exchange(unchecked_, {}));
    copy_to_device(kept_->data, task_.inputs()[0].data);
    kept_->filled = true;
    return {cut(true), {AudioWay::is_there, kept_}};
  }

  Device& device_;
  const Task& task_;
  std::span<const float> unchecked_;
  KeptAudio* kept_;
};

}  // namespace

void run_streamed(Device& device, const Task& task, std::span<const float> unchecked,
                  KeptAudio* kept) {
  if (computes_nothing(task) && unchecked.empty()) return;
  if (task.batch() == 0) throw DeviceError("there are no clips to answer for");
  if (kept) kept->move_to(device);
  try {
    StreamedRun(device, task, unchecked, kept).run();
  } catch (const DeviceError& error) {
    throw DeviceFailed(error.what());
  }
}

}  // namespace metalmom::gpu
