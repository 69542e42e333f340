#include "gpu/run.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "gpu/pieces.hpp"
#include "gpu/ring.hpp"
#include "gpu/session_pool.hpp"
#include "gpu/shared_memory.hpp"
#include "gpu/staging.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// What a piece streams in and out. Small, so that the host memory it goes through stays in the
// processor's cache and the pieces of all threads together do not need much of the device; large
// enough to outweigh the 50 us that a submission costs. Halved when memory runs out.
constexpr std::size_t target_bytes = std::size_t{4} << 20;

// Of all pieces that are under way together: with the host memory beside it what the session pool
// keeps from call to call.
constexpr std::size_t in_flight_bytes = std::size_t{384} << 20;

class Stream {
 public:
  Stream(Device& device, const Task& task, Cut cut, std::span<const float> unchecked,
         const KeptAudio* kept)
      : device_(device),
        task_(task),
        cut_(std::move(cut)),
        kept_(kept),
        shared_(device, task),
        carries_(cut_.first.size()) {
    if (unchecked.empty()) return;
    // Samples that no frame reads are not copied, and must be finite all the same.
    if (copies_all(unchecked.data()))
      checked_ = unchecked.data();
    else
      ops::require_finite(unchecked);
  }

  void run(int workers, int depth) {
    run_by_itself({}, [&](CommandSession& session) { shared_.record_first(session); });
    run_ring(
        device_, {cut_.first, workers, depth},
        [&](CommandSession& session, Index item) { start(session, item); },
        [&](CommandSession& session, Index item) { finish(session, item); });
    run_by_itself({.download = shared_.answer_bytes(), .follows = true},
                  [&](CommandSession& session) {
                    shared_.own(session);
                    shared_.record_last(session);
                  });
  }

 private:
  bool is_uploaded() const { return !kept_ || !kept_->filled; }

  bool copies_all(const void* data) const {
    if (kept_) return !kept_->filled && task_.inputs()[0].data == data;
    for (std::size_t i = 0; i < task_.inputs().size(); ++i)
      if (const HostArray& array = task_.inputs()[i]; array.data == data)
        return std::all_of(cut_.pieces.begin(), cut_.pieces.end(), [&](const Piece& piece) {
          const Region region = task_.input_region(piece, i);
          return region.n_rows == array.rows && region.n_cols == array.cols;
        });
    return false;
  }

  // Before the first piece or after the last one, where kernels answer for the whole batch.
  template <class F>
  void run_by_itself(const SessionNeed& need, F&& record) {
    if (task_.n_shared() == 0) return;
    auto session = device_.sessions->lease();
    session->begin(need);
    record(*session);
    session->submit();
    session->wait_interruptibly();
    if (need.download) shared_.take_answers(*session);
  }

  void start(CommandSession& session, Index item) {
    Piece piece = cut_.pieces[static_cast<std::size_t>(item)];
    const PieceBytes bytes = bytes_of(task_, piece, kept_);
    const std::size_t kept_bytes =
        kept_ && is_uploaded() ? align_up(whole_region_bytes(piece)) : 0;
    session.begin({.workspace = bytes.total() - (cut_.carried ? bytes.carry : 0),
                   .upload = bytes.in + kept_bytes,
                   .download = bytes.out,
                   .overlapped = cut_.pieces.size() > 1,
                   .follows = cut_.carried});
    shared_.own(session);
    std::vector<Slice> in, out;
    if (kept_)
      in.push_back(kept_part(session, piece));
    else
      for (std::size_t i = 0; i < task_.inputs().size(); ++i) {
        const Region region = task_.input_region(piece, i);
        in.push_back(session.scratch(region_bytes(task_.inputs()[i], piece, region)));
        upload(session, piece, i, region, in.back());
      }
    for (std::size_t i = 0; i < task_.outputs().size(); ++i)
      out.push_back(
          session.scratch(region_bytes(task_.outputs()[i], piece, task_.output_region(piece, i))));
    const Slice carry = bytes.carry ? carry_of(session, item, bytes.carry) : Slice{};
    task_.record(session, piece, {in, out, carry, shared_.slices()});
    for (const Slice& each : out)
      if (each.bytes) session.download(each);
    session.submit();
  }

  void upload(CommandSession& session, const Piece& piece, std::size_t i, const Region& region,
              const Slice& target) const {
    if (target.bytes == 0) return;
    const HostArray& array = task_.inputs()[i];
    copy_region(array, piece, region, session.upload(target),
                array.data == checked_ ? Direction::checked_in : Direction::in);
  }

  // The piece's clips where all of the audio is kept. What is bound begins where the device can bind
  // it, so the samples begin at a place of their own.
  Slice kept_part(CommandSession& session, Piece& piece) const {
    const HostArray& array = task_.inputs()[0];
    const Slice& all = *kept_->data.memory;
    const std::size_t begin = static_cast<std::size_t>(piece.clip) * clip_bytes(array);
    const Slice clips{all.buffer, all.offset + begin, whole_region_bytes(piece)};
    session.own(kept_->data.memory);
    if (is_uploaded()) upload(session, piece, 0, {0, array.rows, 0, array.cols}, clips);
    const std::size_t before = begin % slice_alignment;
    piece.held = {0, 1, -static_cast<Index>(before / sizeof(float)), array.cols};
    return {all.buffer, clips.offset - before, clips.bytes + before};
  }

  std::size_t whole_region_bytes(const Piece& piece) const {
    return static_cast<std::size_t>(piece.n_clips) * clip_bytes(task_.inputs()[0]);
  }

  void finish(CommandSession& session, Index item) {
    const Piece& piece = cut_.pieces[static_cast<std::size_t>(item)];
    auto host = session.downloads().begin();
    for (std::size_t i = 0; i < task_.outputs().size(); ++i) {
      const Region region = task_.output_region(piece, i);
      if (region_bytes(task_.outputs()[i], piece, region))
        copy_region(task_.outputs()[i], piece, region, *host++, Direction::out);
    }
  }

  // Kept from the first piece of a cut clip to the last; one worker has all of them.
  Slice carry_of(CommandSession& session, Index item, std::size_t bytes) {
    if (!cut_.carried) return session.scratch(bytes);
    const auto job = std::upper_bound(cut_.first.begin(), cut_.first.end(), item) - 1;
    Allocation& carry = carries_[static_cast<std::size_t>(job - cut_.first.begin())];
    if (!carry) carry = device_.memory.allocate(bytes);
    const Slice slice = *carry;
    session.own(carry);
    if (item + 1 == job[1]) carry.reset();
    return slice;
  }

  Device& device_;
  const Task& task_;
  const Cut cut_;
  const KeptAudio* const kept_;
  const SharedMemory shared_;
  const void* checked_ = nullptr;  // the input that is looked at while it is copied
  std::vector<Allocation> carries_;
};

// `budget`: bytes of the device that a call may take for its pieces.
Cut cut_for(const Device& device, const Task& task, std::size_t budget, std::size_t target,
            bool held) {
  return cut_batch(task, {.binding = device.physical.info.limits.storage_range,
                          .piece = std::min(budget, device.physical.max_allocation),
                          .target = target,
                          .held = held});
}

// Makes room for audio that is to be kept; false where there is none.
bool make_room(Device& device, const Task& task, KeptAudio& kept) {
  if (kept.data.memory) return kept.data.device == &device;
  const std::size_t bytes = task.inputs()[0].bytes();
  if (bytes > std::min(device.memory.available() / 3, device.physical.max_allocation)) return false;
  kept.data = make_array(device, bytes);
  return true;
}

void run_once(Device& device, const Task& task, std::span<const float> unchecked,
              std::size_t target, KeptAudio* kept) {
  const std::size_t budget = device.memory.available() / 3;
  Cut cut = cut_for(device, task, budget, target, kept && kept->filled);
  const bool whole = std::ranges::all_of(cut.pieces, [](const Piece& each) {
    return each.first() && each.last;
  });
  if (kept && !whole && !kept->filled) {
    // A clip's pieces overlap, and so would their uploads.
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
  Stream(device, task, std::move(cut), unchecked, kept)
      .run(static_cast<int>((in_flight + 1) / 2), in_flight > 1 ? 2 : 1);
  if (kept) kept->filled = true;
}

}  // namespace

void run_streamed(Device& device, const Task& task, std::span<const float> unchecked,
                  KeptAudio* kept) {
  if (task.batch() == 0) return;
  for (std::size_t target = target_bytes;; target /= 2) {
    try {
      return run_once(device, task, unchecked, target,
                      kept && make_room(device, task, *kept) ? kept : nullptr);
    } catch (const OutOfDeviceMemory&) {
      // Somebody else may hold the memory: again, in smaller pieces and with nothing kept.
      device.sessions->drain();
      if (kept) *kept = {};
      kept = nullptr;
      device.sessions->trim();
      device.memory.trim();
      if (target < 4096 || cut_for(device, task, device.memory.available() / 3, target, false).smallest)
        throw;
    }
  }
}

}  // namespace metalmom::gpu
