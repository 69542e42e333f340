#include "gpu/run/run.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "gpu/run/part.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/run/submission.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// Where samples are kept on the device, kernels read parts that are larger by this factor: a few
// clips fill a device. It is no larger because the last part runs when nothing is left to upload
// beside it, and one thread stores its results.
constexpr std::size_t held_targets = 3;

// Bytes that a submission streams at least, where there are so many: to submit takes as long as to
// copy them.
constexpr std::size_t least_shared_bytes = std::size_t{1} << 20;

// Clips whose kernels run together, a multiple of a piece's clips; 0 if that gains nothing over
// pieces.
Index clips_of_group(const Cut& pieces, const Cut& groups, Index batch) {
  const Index of_piece = pieces.pieces[0].n_clips, clips = groups.pieces[0].n_clips;
  if (!groups.pieces[0].has_whole_clips()) return 0;
  if (clips >= batch) return round_up(clips, of_piece);
  return clips >= 2 * of_piece ? clips / of_piece * of_piece : 0;
}

// Whether the pieces of a cut copy all of the input at `data`.
bool copies_all(const Task& task, const Cut& cut, const void* data) {
  for (std::size_t i = 0; i < task.inputs().size(); ++i)
    if (const HostArray& array = task.inputs()[i]; array.data == data)
      return std::ranges::all_of(cut.pieces, [&](const Piece& piece) {
        const Region region = task.input_region(piece, i);
        return region.n_rows == array.rows && region.n_cols == array.cols;
      });
  return false;
}

// Parts of works. The kernels of one short clip leave most of a device idle and wait for each
// other; recorded together, those of several run beside each other, phase by phase
// (gpu/record/schedule.hpp).
class Parts final : public Submission {
 public:
  Part& add(const Part& part) { return parts_.emplace_back(part); }
  bool is_empty() const { return parts_.empty(); }
  void use_own_queues() { overlapped_ = true; }

  SessionNeed need() override {
    SessionNeed all{.overlapped = overlapped_};
    for (Part& each : parts_) {
      const SessionNeed& need = each.need();
      all.workspace += need.workspace;
      all.upload += need.upload;
      all.download += need.download;
      all.follows |= need.follows;
    }
    return all;
  }
  void record(CommandSession& session) override {
    for (Part& each : parts_) {
      session.begin_apart();
      each.record(session);
    }
  }
  void finish(CommandSession& session) override {
    for (const Part& each : parts_) each.store(session);
  }

 private:
  std::vector<Part> parts_;
  bool overlapped_ = false;
};

// The submissions of some works.
class Plan {
 public:
  // `target`: bytes that a submission streams at most, where that is free. `keeps`: whether audio
  // may stay on the device.
  Plan(Device& device, std::size_t target, bool keeps)
      : device_(device), target_(target), keeps_(keeps) {}

  // Works from the first on, of those that are cut as many as there are threads: each may take
  // memory of its own. Returns how many they are.
  std::size_t add(std::span<Work> works) {
    std::size_t count = 0;
    while (count < works.size() && n_cut_ < thread_count()) take(works[count++]);
    share_submissions();
    return count;
  }

  void run() {
    const int most = sessions_in_flight(largest_, share_);
    if (submissions_.size() > 1)
      for (Parts& each : submissions_) each.use_own_queues();
    run_alone(before_);
    run_submissions(device_, ready_, most);
    run_alone(after_);
    for (ActiveWork& each : active_)
      if (each.kept && !each.has_failed()) each.kept->filled = true;
  }

  // Whether a lower target would change nothing.
  bool is_smallest() const { return is_smallest_; }
  void keep_nothing() {
    for (ActiveWork& each : active_)
      if (each.work.kept) each.work.kept->give_up();
  }

 private:
  void take(Work& work) {
    if (work.error || (computes_nothing(*work.task) && work.unchecked.empty())) return;
    ActiveWork& active = active_.emplace_back(device_, work);
    try {
      add_parts(active);
    } catch (const OutOfDeviceMemory&) {
      throw;
    } catch (const ParameterError&) {
      active.fail(std::current_exception());
    } catch (const DeviceError& error) {
      active.fail(std::make_exception_ptr(DeviceFailed(error.what())));
    }
  }

  // How audio comes to the kernels follows from whether it can stay on the device: it is there
  // already, or a part uploads clips to where they are kept, for its own kernels or for those of a
  // group, or a part uploads the samples that its kernels read, and later nobody has them.
  void add_parts(ActiveWork& active) {
    const Task& task = active.task;
    if (task.batch() == 0) throw DeviceError("there are no clips to answer for");
    KeptAudio* const kept = keeps_ ? active.work.kept : nullptr;
    if (kept && kept->filled) return add_kept(active, *kept);
    const Cut cut = cut_for(task, false);
    const bool has_whole_clips = std::ranges::all_of(cut.pieces, &Piece::has_whole_clips);
    const bool may_group = has_whole_clips && cut.pieces.size() > 1;
    if (!kept || !(may_group || kept->is_read_again) || !make_room(task, *kept))
      return add_pieces(active, cut, true);
    active.kept = kept;
    const Index clips = may_group ? clips_of_group(cut, cut_for(task, true), task.batch()) : 0;
    if (clips) return add_groups(active, cut, clips);
    if (!kept->is_read_again) {
      kept->give_up();
      active.kept = nullptr;
    } else if (!has_whole_clips) {
      // Pieces of one clip overlap by the frames' reach, so uploading them would upload samples
      // twice: the audio is uploaded as a whole.
      ops::require_finite(active.work.unchecked);
      active.work.unchecked = {};
      copy_to_device(kept->data, task.inputs()[0].data);
      kept->filled = true;
      return add_kept(active, *kept);
    }
    add_pieces(active, cut, true);
  }

  void add_kept(ActiveWork& active, KeptAudio& kept) {
    active.kept = &kept;
    add_pieces(active, cut_for(active.task, true), false);
  }

  // Takes memory for audio that is to be kept on the device. False if there is not enough.
  bool make_room(const Task& task, KeptAudio& kept) {
    if (kept.data.memory) return true;
    const std::size_t bytes = task.inputs()[0].bytes();
    if (bytes > std::min(share_, device_.physical.max_allocation)) return false;
    kept.data = make_array(device_, bytes);
    share_ = device_.share_of_call();
    return true;
  }

  // `held`: where the audio is on the device already.
  Cut cut_for(const Task& task, bool held) const {
    return cut_batch(task, {.binding = device_.physical.info.limits.storage_range,
                            .piece = std::min(share_, device_.physical.max_allocation),
                            .target = held ? held_targets * target_ : target_,
                            .held = held});
  }

  // Parts that upload what they read, or nothing.
  void add_pieces(ActiveWork& active, const Cut& cut, bool uploads) {
    check_samples(active, cut, uploads);
    is_smallest_ = is_smallest_ && cut.smallest && !active.kept;
    const bool answers = !active.task.answers().empty();
    if (cut.pieces.size() == 1)
      return short_.push_back({.work = active,
                               .piece = cut.pieces[0],
                               .uploads = uploads,
                               .begins = answers,
                               .answers = answers});
    begin_cut(active);
    if (cut.carried) active.carries.resize(static_cast<std::size_t>(active.task.batch()));
    Parts* previous = nullptr;
    for (const Piece& piece : cut.pieces) {
      const Part part{.work = active, .piece = piece, .uploads = uploads, .follows = cut.carried};
      if (cut.carried && !piece.first())
        previous->come_before(add_submission(part));
      else
        ready_.push_back(&add_submission(part));
      previous = &submissions_.back();
    }
    note_size(submissions_[submissions_.size() - (cut.pieces.size() + 1) / 2]);
  }

  // Parts that upload a piece each, and parts that compute groups of clips, which are larger than a
  // piece, as soon as all pieces of a group are there.
  void add_groups(ActiveWork& active, const Cut& cut, Index clips) {
    check_samples(active, cut, true);
    is_smallest_ = false;
    begin_cut(active);
    const Index batch = active.task.batch();
    const std::size_t first = submissions_.size();
    for (Index clip = 0; clip < batch; clip += clips) {
      const Index count = std::min(clips, batch - clip);
      add_submission({.work = active,
                      .piece = whole_clips(clip, count, active.task.units()),
                      .uploads = false,
                      .follows = true});
    }
    note_size(submissions_[first]);
    for (const Piece& piece : cut.pieces) {
      Parts& upload = add_submission({.work = active, .piece = piece, .computes = false});
      upload.come_before(submissions_[first + static_cast<std::size_t>(piece.clip / clips)]);
      ready_.push_back(&upload);
    }
    note_size(submissions_.back());
  }

  // What comes before and after the pieces of a work that is cut.
  void begin_cut(ActiveWork& active) {
    ++n_cut_;
    if (active.task.answers().empty()) return;
    const Part apart{.work = active, .piece = {}, .uploads = false, .computes = false};
    before_.add(apart).begins = true;
    Part& last = after_.add(apart);
    last.answers = last.follows = true;
  }

  // Samples that no frame reads must be finite too. They are not copied, so all are checked here.
  static void check_samples(ActiveWork& active, const Cut& cut, bool uploads) {
    const std::span<const float> unchecked = active.work.unchecked;
    if (unchecked.empty()) return;
    if (uploads && copies_all(active.task, cut, unchecked.data()))
      active.checked = unchecked.data();
    else
      ops::require_finite(unchecked);
  }

  // Short works in their order, so that later runs of the same clips find their audio. Every thread
  // gets some, in submissions that are neither larger than others nor too small.
  void share_submissions() {
    std::size_t bytes = 0;
    const auto streamed_by = [](Part& part) { return part.need().upload + part.need().download; };
    for (Part& each : short_) bytes += streamed_by(each);
    const std::size_t most = std::min(
        target_, std::max(least_shared_bytes, bytes / static_cast<std::size_t>(thread_count())));
    const std::size_t first = submissions_.size();
    std::size_t streamed = 0;
    for (Part& each : short_) {
      streamed += streamed_by(each);
      if (submissions_.size() == first || streamed > most) {
        streamed = streamed_by(each);
        ready_.push_back(&submissions_.emplace_back());
      } else {
        is_smallest_ = false;
      }
      submissions_.back().add(each);
    }
    for (std::size_t i = first; i < submissions_.size(); ++i) note_size(submissions_[i]);
  }

  Parts& add_submission(const Part& part) {
    Parts& submission = submissions_.emplace_back();
    submission.add(part);
    return submission;
  }
  void note_size(Parts& submission) {
    largest_ = std::max(largest_, session_bytes(device_, submission.need()));
  }
  void run_alone(Parts& submission) const {
    Submission* const one = &submission;
    if (!submission.is_empty()) run_submissions(device_, {&one, 1}, 1);
  }

  Device& device_;
  std::size_t share_ = device_.share_of_call();  // of its memory
  const std::size_t target_;
  const bool keeps_;
  std::deque<ActiveWork> active_;
  std::vector<Part> short_;  // of works that are one piece
  Parts before_, after_;
  std::deque<Parts> submissions_;
  std::vector<Submission*> ready_;  // those that come after no other
  Index n_cut_ = 0;
  std::size_t largest_ = 0;
  bool is_smallest_ = true;
};

// Runs works from the first on; returns how many they were.
std::size_t run_some(Device& device, std::span<Work> works) {
  bool keeps = true;
  for (std::size_t target = streamed_piece_bytes;; target /= 2, keeps = false) {
    std::optional<Plan> plan(std::in_place, device, target, keeps);
    try {
      const std::size_t count = plan->add(works);
      plan->run();
      return count;
    } catch (const OutOfDeviceMemory&) {
      // Another process or call may hold the memory: what the device only keeps is given back, and
      // smaller submissions are tried.
      device.sessions->drain();
      plan->keep_nothing();
      const bool is_smallest = plan->is_smallest();
      plan.reset();
      device.trim();
      if (target < 4096 || is_smallest) throw;
    }
  }
}

}  // namespace

void run(Device& device, std::span<Work> works) {
  for (Work& each : works)
    if (each.kept) each.kept->move_to(device);
  std::span<Work> left = works;
  try {
    while (!left.empty()) left = left.subspan(run_some(device, left));
  } catch (const DeviceError& error) {
    for (Work& each : left)
      if (!each.error) each.error = std::make_exception_ptr(DeviceFailed(error.what()));
  }
  for (Work& each : works)
    if (each.kept && (each.error || !each.kept->is_read_again)) each.kept->give_up();
}

}  // namespace metalmom::gpu
