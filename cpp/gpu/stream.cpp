#include "gpu/stream.hpp"

#include <algorithm>
#include <utility>

#include "gpu/session_pool.hpp"
#include "gpu/staging.hpp"
#include "gpu/vulkan_device.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

Stream::Stream(Device& device, const Task& task, Cut cut, std::span<const float> unchecked,
               const KeptClips* kept, Index group_clips)
    : device_(device),
      task_(task),
      cut_(std::move(cut)),
      kept_(kept),
      shared_(device, task),
      group_clips_(group_clips),
      carries_(cut_.first.size()) {
  for (Index clip = 0; group_clips && clip < task.batch(); clip += group_clips)
    groups_.emplace_back(
        Piece{clip, std::min(group_clips, task.batch() - clip), 0, task.units(), true});
  for (const Piece& piece : cut_.pieces)
    if (group_clips) ++group_of(piece).missing;
  if (unchecked.empty()) return;
  // Samples that no frame reads must be finite too. They are not copied, so all are checked here.
  if (copies_all(unchecked.data()))
    checked_ = unchecked.data();
  else
    ops::require_finite(unchecked);
}

std::size_t Stream::session_bytes(Index item) const {
  const Piece piece = piece_of(item);
  if (!groups_.empty() && item < n_pieces()) return whole_region_bytes(piece);
  const PieceBytes bytes = bytes_of(task_, piece, kept_);
  return bytes.total() + bytes.in + bytes.out + (brings_audio() ? whole_region_bytes(piece) : 0);
}

std::size_t Stream::largest_session() const {
  const std::size_t piece = session_bytes(n_pieces() / 2);
  return groups_.empty() ? piece : std::max(piece, session_bytes(n_pieces()));
}

// A submission before the first piece or after the last one, for kernels that answer for the whole
// batch.
template <class F>
void Stream::run_by_itself(const SessionNeed& need, F&& record) {
  if (task_.n_shared() == 0) return;
  auto session = device_.sessions->lease();
  session->begin(need);
  record(*session);
  session->submit();
  session->wait_interruptibly();
  if (need.download) shared_.take_answers(*session);
}

DeviceJobs Stream::jobs() {
  return {.device = device_,
          .first = cut_.first,
          .enough_in_flight = most_in_flight_,
          .bytes_of = [this](Index item) { return session_bytes(item); },
          .start = [this](CommandSession& session, Index item) { return start(session, item); },
          .finish = [this](CommandSession& session, Index item) { finish(session, item); }};
}

void Stream::run(std::deque<Stream>& streams, int workers, int depth,
                 std::atomic<Device*>* failed) {
  std::vector<DeviceJobs> jobs;
  for (Stream& each : streams) {
    *failed = &each.device_;
    each.run_by_itself({}, [&](CommandSession& session) { each.shared_.record_first(session); });
    jobs.push_back(each.jobs());
  }
  *failed = nullptr;
  run_jobs(jobs, workers, depth, failed);
  if (streams.size() == 1) return streams[0].answer();
  std::vector<const SharedMemory*> parts;
  for (const Stream& each : streams) parts.push_back(&each.shared_);
  SharedMemory::answer_together(parts, failed);
}

void Stream::answer() {
  run_by_itself({.download = shared_.answer_bytes(), .follows = true}, [&](CommandSession& session) {
    shared_.own(session);
    shared_.record_last(session);
  });
}

bool Stream::copies_all(const void* data) const {
  if (kept_) return !kept_->filled && task_.inputs()[0].data == data;
  for (std::size_t i = 0; i < task_.inputs().size(); ++i)
    if (const HostArray& array = task_.inputs()[i]; array.data == data)
      return std::all_of(cut_.pieces.begin(), cut_.pieces.end(), [&](const Piece& piece) {
        const Region region = task_.input_region(piece, i);
        return region.n_rows == array.rows && region.n_cols == array.cols;
      });
  return false;
}

Index Stream::start(CommandSession& session, Index item) {
  if (groups_.empty() || item >= n_pieces()) {
    compute(session, item);
    return -1;
  }
  const Piece piece = piece_of(item);
  session.begin({.upload = align_up(whole_region_bytes(piece)), .overlapped = n_pieces() > 1});
  upload_kept(session, piece);
  session.submit();
  Group& group = group_of(piece);
  return group.missing.fetch_sub(1) == 1 ? n_pieces() + piece.clip / group_clips_ : -1;
}

void Stream::compute(CommandSession& session, Index item) {
  Piece piece = piece_of(item);
  const PieceBytes bytes = bytes_of(task_, piece, kept_);
  const std::size_t kept_bytes = brings_audio() ? align_up(whole_region_bytes(piece)) : 0;
  session.begin({.workspace = bytes.total() - (cut_.carried ? bytes.carry : 0),
                 .upload = bytes.in + kept_bytes,
                 .download = bytes.out,
                 .overlapped = cut_.pieces.size() > 1,
                 .follows = cut_.carried || !groups_.empty()});
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

void Stream::upload(CommandSession& session, const Piece& piece, std::size_t i, const Region& region,
                    const Slice& target) const {
  if (target.bytes == 0) return;
  const HostArray& array = task_.inputs()[i];
  copy_region(array, piece, region, session.upload(target),
              array.data == checked_ ? Direction::checked_in : Direction::in);
}

std::size_t Stream::whole_region_bytes(const Piece& piece) const {
  return static_cast<std::size_t>(piece.n_clips) * clip_bytes(task_.inputs()[0]);
}

Slice Stream::kept_clips(const Piece& piece) const {
  const Slice& all = *kept_->data.memory;
  const std::size_t begin = static_cast<std::size_t>(piece.clip) * clip_bytes(task_.inputs()[0]);
  return {all.buffer, all.offset + begin, whole_region_bytes(piece)};
}

void Stream::upload_kept(CommandSession& session, const Piece& piece) const {
  const HostArray& array = task_.inputs()[0];
  session.own(kept_->data.memory);
  upload(session, piece, 0, {0, array.rows, 0, array.cols}, kept_clips(piece));
}

// The samples of a piece's clips in the audio that is kept. A binding must begin at an aligned
// offset, so it may begin before them; `held` says by how many samples.
Slice Stream::kept_part(CommandSession& session, Piece& piece) const {
  const Slice clips = kept_clips(piece);
  session.own(kept_->data.memory);
  if (brings_audio()) upload_kept(session, piece);
  const std::size_t before = clips.offset % slice_alignment;
  piece.held = {0, 1, -static_cast<Index>(before / sizeof(float)), task_.inputs()[0].cols};
  return {clips.buffer, clips.offset - before, clips.bytes + before};
}

void Stream::finish(CommandSession& session, Index item) const {
  if (!groups_.empty() && item < n_pieces()) return;  // it was an upload only
  const Piece piece = piece_of(item);
  auto host = session.downloads().begin();
  for (std::size_t i = 0; i < task_.outputs().size(); ++i) {
    const Region region = task_.output_region(piece, i);
    if (region_bytes(task_.outputs()[i], piece, region))
      copy_region(task_.outputs()[i], piece, region, *host++, Direction::out);
  }
}

// The memory that the pieces of a cut clip pass on, from its first piece to its last. All of them
// are done by one worker.
Slice Stream::carry_of(CommandSession& session, Index item, std::size_t bytes) {
  if (!cut_.carried) return session.scratch(bytes);
  const auto job = std::upper_bound(cut_.first.begin(), cut_.first.end(), item) - 1;
  Allocation& carry = carries_[static_cast<std::size_t>(job - cut_.first.begin())];
  if (!carry) carry = device_.memory.allocate(bytes);
  const Slice slice = *carry;
  session.own(carry);
  if (item + 1 == job[1]) carry.reset();
  return slice;
}

}  // namespace metalmom::gpu
