#include "gpu/run/side_by_side.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <vector>

#include "base/workers.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/device_jobs.hpp"
#include "gpu/run/piece_results.hpp"
#include "gpu/run/pieces.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

// Bytes that a submission streams at least, where there are so many: to submit takes as long as to
// copy them.
constexpr double least_bundle_bytes = 1 << 20;

// All of a clip's task, whose audio is there as a whole.
Piece whole(const Task& task) {
  Piece piece = whole_clips(0, task.batch(), task.units());
  piece.held = {0, 1, 0, task.inputs()[0].cols};
  return piece;
}

std::size_t audio_bytes(const Task& task) {
  return task.inputs()[0].bytes();
}

bool is_there(const ClipTask& clip) {
  return clip.kept && clip.kept->filled;
}

// What a clip takes of a session.
SessionNeed need_of(const ClipTask& clip) {
  const Task& task = *clip.task;
  const PieceBytes bytes = bytes_of(task, whole(task), true);
  const std::size_t audio = align_up(audio_bytes(task));
  SessionNeed need{.workspace = bytes.total() + (clip.kept ? 0 : audio),
                   .upload = is_there(clip) ? 0 : audio,
                   .download = bytes.out};
  for (const BatchAnswer* each : task.answers()) need.download += align_up(each->answer_bytes());
  return need;
}

// The clips of one submission.
class Bundle {
 public:
  explicit Bundle(Device& device) : device_(device) {}

  void add(ClipTask& clip, const SessionNeed& need) {
    members_.emplace_back(clip);
    need_.workspace += need.workspace;
    need_.upload += need.upload;
    need_.download += need.download;
  }
  std::size_t streamed_bytes() const { return need_.upload + need_.download; }
  std::size_t session_bytes() const {
    return need_.workspace + (device_.physical.unified_memory ? 0 : streamed_bytes());
  }
  void use_own_queues() { need_.overlapped = true; }

  void start(CommandSession& session) {
    session.begin(need_);
    for (Member& each : members_) {
      session.begin_apart();
      try {
        record(session, each, upload(session, each.clip));
      } catch (const ParameterError&) {
        each.clip.error = std::current_exception();
      }
    }
    session.submit();
  }

  void finish(CommandSession& session) {
    for (Member& each : members_) {
      if (each.clip.error) continue;
      const Task& task = *each.clip.task;
      const auto downloads = std::span(session.downloads()).subspan(each.first_download);
      const std::size_t stored = store_results(task, whole(task), downloads);
      each.shared->take_answers(downloads.subspan(stored));
      if (each.clip.kept) each.clip.kept->filled = true;
    }
  }

 private:
  struct Member {
    explicit Member(ClipTask& its) : clip(its) {}
    ClipTask& clip;
    std::optional<BatchMemory> shared;
    std::size_t first_download = 0;
  };

  // A clip's audio on the device. Throws ParameterError where its samples are not finite.
  Slice upload(CommandSession& session, ClipTask& clip) {
    const HostArray& array = clip.task->inputs()[0];
    Slice audio;
    if (clip.kept) {
      KeptAudio& kept = *clip.kept;
      if (!kept.data.memory) kept.data = make_array(device_, array.bytes());
      session.own(kept.data.memory);
      audio = {kept.data.memory->buffer, kept.data.memory->offset, array.bytes()};
      if (kept.filled) return audio;
    } else {
      audio = session.scratch(array.bytes());
    }
    const Region all{0, array.rows, 0, array.cols};
    copy_region(array, whole(*clip.task), all, session.upload(audio),
                clip.unchecked.empty() ? Direction::in : Direction::checked_in);
    return audio;
  }

  void record(CommandSession& session, Member& member, const Slice& audio) {
    const Task& task = *member.clip.task;
    const Piece piece = whole(task);
    member.shared.emplace(device_, task);
    member.shared->record_first(session);
    const std::vector<Slice> out = make_results(session, task, piece);
    const std::size_t carry_bytes = task.carry_bytes(piece.n_clips);
    const Slice carry = carry_bytes ? session.scratch(carry_bytes) : Slice{};
    task.record(session, piece, {{&audio, 1}, out, carry, member.shared->slices()});
    member.first_download = session.downloads().size();
    download_results(session, out);
    member.shared->record_last(session);
  }

  Device& device_;
  SessionNeed need_;
  std::deque<Member> members_;
};

// Every thread gets some, in pieces that are neither larger than others nor too small.
std::size_t bundle_target(std::span<const SessionNeed> needs) {
  double bytes = 0;
  for (const SessionNeed& each : needs) bytes += static_cast<double>(each.upload + each.download);
  return static_cast<std::size_t>(std::clamp(bytes / thread_count(), least_bundle_bytes,
                                             static_cast<double>(streamed_piece_bytes)));
}

// Clips in their order, so that later runs of the same clips find their audio.
std::deque<Bundle> bundles_of(Device& device, std::span<ClipTask* const> clips) {
  std::vector<SessionNeed> needs;
  for (const ClipTask* each : clips) {
    if (each->kept) each->kept->move_to(device);
    needs.push_back(need_of(*each));
  }
  const std::size_t target = bundle_target(needs);
  std::deque<Bundle> bundles;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::size_t bytes = needs[i].upload + needs[i].download;
    if (bundles.empty() || bundles.back().streamed_bytes() + bytes > target)
      bundles.emplace_back(device);
    bundles.back().add(*clips[i], needs[i]);
  }
  if (bundles.size() > 1)
    for (Bundle& each : bundles) each.use_own_queues();
  return bundles;
}

}  // namespace

bool can_share_submissions(const Device& device, const Task& task) {
  if (task.inputs().size() != 1 || computes_nothing(task)) return false;
  const PieceBytes bytes = bytes_of(task, whole(task), true);
  const std::size_t audio = audio_bytes(task);
  return audio + bytes.out <= streamed_piece_bytes &&
         bytes.largest <= device.physical.info.limits.storage_range &&
         bytes.total() + audio <= device.share_of_call();
}

void run_side_by_side(Device& device, std::span<ClipTask* const> clips) {
  std::deque<Bundle> bundles = bundles_of(device, clips);
  const auto at = [&](Index i) -> Bundle& { return bundles[static_cast<std::size_t>(i)]; };
  std::size_t largest = 0;
  for (const Bundle& each : bundles) largest = std::max(largest, each.session_bytes());
  std::vector<Index> first(bundles.size() + 1);
  std::iota(first.begin(), first.end(), Index{0});
  try {
    run_jobs({.device = device,
              .first = first,
              .most_in_flight = sessions_in_flight(largest, device.share_of_call()),
              .bytes_of = [&](Index i) { return at(i).session_bytes(); },
              .start =
                  [&](CommandSession& session, Index i) {
                    at(i).start(session);
                    return Index{-1};
                  },
              .finish = [&](CommandSession& session, Index i) { at(i).finish(session); }});
  } catch (const DeviceError& error) {
    throw DeviceFailed(error.what());
  }
}

}  // namespace metalmom::gpu
