#include "gpu/run.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "gpu/clip_range.hpp"
#include "gpu/division.hpp"
#include "gpu/piece_run.hpp"
#include "gpu/pieces.hpp"
#include "gpu/session_pool.hpp"
#include "gpu/staging.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// Where samples are kept on the device, kernels read parts that are larger by this factor: a few
// clips fill a device. It is no larger because the last part runs when nothing is left to upload
// beside it, and one thread stores its results.
constexpr std::size_t held_targets = 3;

// From so many threads for each of several devices on, the host is what they wait for, mostly its
// memory. A thread then has one piece under way instead of two, and the host memory of half as many
// pieces stays in the caches.
constexpr Index threads_beyond = 8;

// `budget`: bytes of the device's memory that a call may take for its pieces.
Cut cut_for(const Device& device, const Task& task, std::size_t budget, std::size_t target,
            bool held) {
  return cut_batch(task, {.binding = device.physical.info.limits.storage_range,
                          .piece = std::min(budget, device.physical.max_allocation),
                          .target = held ? held_targets * target : target,
                          .held = held});
}

// Takes memory for audio that is to be kept on the device. False if there is not enough.
bool make_room(const Task& task, KeptClips& kept) {
  if (kept.data.memory) return true;
  Device& device = *kept.device;
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

// What one device does of a call, and the audio that it keeps, or null.
struct Part {
  Device& device;
  const Task& task;
  std::span<const float> unchecked;
  KeptClips* kept = nullptr;
  bool is_read_again = true;
};

void drop(KeptClips*& kept) {
  if (kept) kept->give_up();
  kept = nullptr;
}

bool has_whole_clips(const Cut& cut) {
  return std::ranges::all_of(cut.pieces, &Piece::has_whole_clips);
}

struct CutPart {
  Cut cut;
  Audio audio;
};

// A part's pieces, and how its audio comes to their kernels. Gives up its place on the device where
// nothing is gained by it. `cut_as(true)`: the cut if the audio is there already, `cut_as(false)`:
// if pieces upload it.
template <class CutAs>
CutPart cut_part(Part& part, const CutAs& cut_as) {
  KeptClips*& kept = part.kept;
  if (kept && kept->filled) return {cut_as(true), {AudioWay::is_there, kept}};
  Cut cut = cut_as(false);
  if (!kept) return {std::move(cut), {}};
  const bool whole = has_whole_clips(cut);
  if (const Index clips = whole ? clips_of_group(cut, cut_as(true), part.task.batch()) : 0)
    return {std::move(cut), {AudioWay::before_groups, kept, clips}};
  if (!part.is_read_again) {
    drop(kept);
    return {std::move(cut), {}};
  }
  if (whole) return {std::move(cut), {AudioWay::piece_by_piece, kept}};
  // Pieces of one clip overlap by the frames' reach, so uploading them would upload samples twice:
  // the audio is uploaded as a whole.
  ops::require_finite(std::exchange(part.unchecked, {}));
  copy_to_device(kept->data, part.task.inputs()[0].data);
  kept->filled = true;
  return {cut_as(true), {AudioWay::is_there, kept}};
}

// Cuts a part into pieces of `target` bytes; returns how many of them may be under way at a time.
int prepare(std::deque<PieceRun>& runs, Part& part, std::size_t target) {
  if (part.kept && !make_room(part.task, *part.kept)) part.kept = nullptr;
  const std::size_t budget = part.device.share_of_call();
  auto [cut, audio] = cut_part(part, [&](bool is_there) {
    return cut_for(part.device, part.task, budget, target, is_there);
  });
  PieceRun& run = runs.emplace_back(part.device, part.task, std::move(cut), audio, part.unchecked);
  const int in_flight = sessions_in_flight(run.largest_session(), budget);
  run.limit_in_flight(in_flight);
  return in_flight;
}

void run_once(std::span<Part> parts, std::size_t target, std::atomic<Device*>& failed) {
  std::deque<PieceRun> runs;
  int in_flight = 0;
  for (Part& part : parts) {
    failed = &part.device;
    in_flight += prepare(runs, part, target);
  }
  failed = nullptr;
  const int workers = std::min((in_flight + 1) / 2, thread_count());
  const bool host_bound = std::ssize(parts) > 1 && workers >= threads_beyond * std::ssize(parts);
  PieceRun::run_all(runs, workers, host_bound || in_flight == 1 ? 1 : 2, &failed);
  for (const Part& part : parts)
    if (part.kept) part.kept->filled = true;
}

// Gives back what the devices of a call only keep, and the audio that it would have liked to keep.
void make_memory_free(std::span<Part> parts) {
  for (Part& part : parts) {
    Device& device = part.device;
    device.sessions->drain();
    drop(part.kept);
    device.trim();
  }
}

bool cuts_finest(const Part& part, std::size_t target) {
  return cut_for(part.device, part.task, part.device.share_of_call(), target, false).smallest;
}

void run_parts(std::span<Part> parts, std::atomic<Device*>& failed) {
  for (std::size_t target = streamed_piece_bytes;; target /= 2) {
    try {
      return run_once(parts, target, failed);
    } catch (const OutOfDeviceMemory&) {
      // Another process or call may hold the memory: try again in smaller pieces, and keep no
      // audio.
      make_memory_free(parts);
      const auto finest = [&](const Part& part) { return cuts_finest(part, target); };
      if (target < 4096 || std::ranges::any_of(parts, finest)) throw;
    }
  }
}

// A share of the samples of a batch.
std::span<const float> samples_of(const Task& task, const Share& share,
                                  std::span<const float> samples) {
  const std::size_t clip = samples.size() / static_cast<std::size_t>(task.batch());
  return samples.subspan(static_cast<std::size_t>(share.clip) * clip,
                         static_cast<std::size_t>(share.n_clips) * clip);
}

// The places of kept audio, one for each share.
std::vector<KeptClips*> places_of(KeptAudio& kept, std::span<const Share> shares) {
  if (kept.shares.empty())
    for (const Share& each : shares)
      kept.shares.push_back({each.device, each.clip, each.n_clips, {}, false});
  std::vector<KeptClips*> places;
  for (KeptClips& each : kept.shares) places.push_back(&each);
  return places;
}

}  // namespace

void run_streamed(std::span<Device* const> devices, const Task& task,
                  std::span<const float> unchecked, KeptAudio* kept) {
  if (computes_nothing(task) && unchecked.empty()) return;
  if (task.batch() == 0) throw DeviceError("there are no clips to answer for");
  const auto is_ours = [&](const KeptClips& each) {
    return std::ranges::find(devices, each.device) != devices.end();
  };
  if (kept && !std::ranges::all_of(kept->shares, is_ours)) kept->shares.clear();
  const Division division(devices, task, kept);
  const auto shares = division.shares();
  const bool divided = shares.size() > 1;
  std::deque<ClipRange> ranges;
  std::vector<Part> parts;
  const auto places = kept ? places_of(*kept, shares) : std::vector<KeptClips*>(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Share& share = shares[i];
    const Task& range =
        divided ? ranges.emplace_back(task, share.clip, share.n_clips) : task;
    parts.push_back({*share.device, range,
                     divided && !unchecked.empty() ? samples_of(task, share, unchecked) : unchecked,
                     places[i], kept && kept->is_read_again});
  }
  std::atomic<Device*> failed{nullptr};
  try {
    run_parts(parts, failed);
  } catch (const DeviceLost& error) {  // whose text names the device
    throw DeviceFailed(failed ? *failed : *shares[0].device, error.what());
  } catch (const DeviceError& error) {
    Device& device = failed ? *failed : *shares[0].device;
    const std::string name = devices.size() > 1 ? device.name() + ": " : "";
    throw DeviceFailed(device, name + error.what());
  }
}

}  // namespace metalmom::gpu
