#include "gpu/run/piece_run.hpp"

#include <algorithm>
#include <utility>

#include "gpu/run/piece_results.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

PieceRun::PieceRun(Device& device, const Task& task, Cut cut, const Audio& audio,
                   std::span<const float> unchecked)
    : device_(device),
      task_(task),
      cut_(std::move(cut)),
      audio_(audio),
      shared_(device, task),
      carries_(cut_.first.size()) {
  if (audio.way == AudioWay::before_groups) {
    for (Index clip = 0; clip < task.batch(); clip += audio.group_clips)
      groups_.emplace_back(
          whole_clips(clip, std::min(audio.group_clips, task.batch() - clip), task.units()));
    for (const Piece& piece : cut_.pieces) ++group_of(piece).missing;
  }
  if (unchecked.empty()) return;
  // Samples that no frame reads must be finite too. They are not copied, so all are checked here.
  if (copies_all(unchecked.data()))
    checked_ = unchecked.data();
  else
    ops::require_finite(unchecked);
}

std::size_t PieceRun::session_bytes(Index item) const {
  const Piece piece = piece_of(item);
  const bool stages = !device_.physical.unified_memory;
  if (uploads_only(item)) return stages ? whole_region_bytes(piece) : 0;
  const PieceBytes bytes = bytes_of(task_, piece, is_kept());
  if (!stages) return bytes.total();
  const bool uploads = audio_.way == AudioWay::piece_by_piece;
  return bytes.total() + bytes.in + bytes.out + (uploads ? whole_region_bytes(piece) : 0);
}

std::size_t PieceRun::largest_session() const {
  const std::size_t piece = session_bytes(n_pieces() / 2);
  return groups_.empty() ? piece : std::max(piece, session_bytes(n_pieces()));
}

// A submission before the first piece or after the last one, for kernels that answer for the whole
// batch.
template <class F>
void PieceRun::run_by_itself(const SessionNeed& need, F&& record) {
  if (shared_.is_empty()) return;
  auto session = device_.sessions->lease();
  session->begin(need);
  record(*session);
  session->submit();
  session->wait_interruptibly();
  if (need.download) shared_.take_answers(session->downloads());
}

void PieceRun::run(int most_in_flight) {
  run_by_itself({}, [&](CommandSession& session) { shared_.record_first(session); });
  run_jobs({.device = device_,
            .first = cut_.first,
            .most_in_flight = most_in_flight,
            .bytes_of = [this](Index item) { return session_bytes(item); },
            .start = [this](CommandSession& session, Index item) { return start(session, item); },
            .finish = [this](CommandSession& session, Index item) { finish(session, item); }});
  answer();
}

void PieceRun::answer() {
  run_by_itself({.download = shared_.answer_bytes(), .follows = true},
                [&](CommandSession& session) {
                  shared_.own(session);
                  shared_.record_last(session);
                });
}

bool PieceRun::copies_all(const void* data) const {
  if (is_kept()) return audio_.way != AudioWay::is_there && task_.inputs()[0].data == data;
  for (std::size_t i = 0; i < task_.inputs().size(); ++i)
    if (const HostArray& array = task_.inputs()[i]; array.data == data)
      return std::all_of(cut_.pieces.begin(), cut_.pieces.end(), [&](const Piece& piece) {
        const Region region = task_.input_region(piece, i);
        return region.n_rows == array.rows && region.n_cols == array.cols;
      });
  return false;
}

Index PieceRun::start(CommandSession& session, Index item) {
  if (uploads_only(item)) return start_upload(session, piece_of(item));
  compute(session, item);
  return -1;
}

// Returns the item of the piece's group if nothing of that is missing now, else -1.
Index PieceRun::start_upload(CommandSession& session, const Piece& piece) {
  session.begin({.upload = align_up(whole_region_bytes(piece)), .overlapped = n_pieces() > 1});
  upload_kept(session, piece);
  session.submit();
  Group& group = group_of(piece);
  return group.missing.fetch_sub(1) == 1 ? n_pieces() + piece.clip / audio_.group_clips : -1;
}

void PieceRun::compute(CommandSession& session, Index item) {
  Piece piece = piece_of(item);
  const PieceBytes bytes = bytes_of(task_, piece, is_kept());
  const std::size_t kept_bytes =
      audio_.way == AudioWay::piece_by_piece ? align_up(whole_region_bytes(piece)) : 0;
  session.begin({.workspace = bytes.total() - (cut_.carried ? bytes.carry : 0),
                 .upload = bytes.in + kept_bytes,
                 .download = bytes.out,
                 .overlapped = cut_.pieces.size() > 1,
                 .follows = cut_.carried || audio_.way == AudioWay::before_groups});
  shared_.own(session);
  std::vector<Slice> in;
  if (is_kept()) {
    if (audio_.way == AudioWay::piece_by_piece) upload_kept(session, piece);
    in.push_back(kept_part(session, piece));
  } else {
    for (std::size_t i = 0; i < task_.inputs().size(); ++i) {
      const Region region = task_.input_region(piece, i);
      in.push_back(session.scratch(region_bytes(task_.inputs()[i], piece, region)));
      upload(session, piece, i, region, in.back());
    }
  }
  const std::vector<Slice> out = make_results(session, task_, piece);
  const Slice carry = bytes.carry ? carry_of(session, item, bytes.carry) : Slice{};
  task_.record(session, piece, {in, out, carry, shared_.slices()});
  download_results(session, out);
  session.submit();
}

void PieceRun::upload(CommandSession& session, const Piece& piece, std::size_t i,
                      const Region& region, const Slice& target) const {
  if (target.bytes == 0) return;
  const HostArray& array = task_.inputs()[i];
  copy_region(array, piece, region, session.upload(target),
              array.data == checked_ ? Direction::checked_in : Direction::in);
}

std::size_t PieceRun::whole_region_bytes(const Piece& piece) const {
  return static_cast<std::size_t>(piece.n_clips) * clip_bytes(task_.inputs()[0]);
}

Slice PieceRun::kept_clips(const Piece& piece) const {
  const Slice& all = *audio_.kept->data.memory;
  const std::size_t begin = static_cast<std::size_t>(piece.clip) * clip_bytes(task_.inputs()[0]);
  return {all.buffer, all.offset + begin, whole_region_bytes(piece)};
}

void PieceRun::upload_kept(CommandSession& session, const Piece& piece) const {
  const HostArray& array = task_.inputs()[0];
  session.own(audio_.kept->data.memory);
  upload(session, piece, 0, {0, array.rows, 0, array.cols}, kept_clips(piece));
}

// The samples of a piece's clips in the audio that is kept. A binding must begin at an aligned
// offset, so it may begin before them; `held` says by how many samples.
Slice PieceRun::kept_part(CommandSession& session, Piece& piece) const {
  const Slice clips = kept_clips(piece);
  session.own(audio_.kept->data.memory);
  const std::size_t before = clips.offset % slice_alignment;
  piece.held = {0, 1, -static_cast<Index>(before / sizeof(float)), task_.inputs()[0].cols};
  return {clips.buffer, clips.offset - before, clips.bytes + before};
}

void PieceRun::finish(CommandSession& session, Index item) const {
  if (uploads_only(item)) return;
  store_results(task_, piece_of(item), session.downloads());
}

// The memory that the pieces of a cut clip pass on, from its first piece to its last. All of them
// are done by one worker.
Slice PieceRun::carry_of(CommandSession& session, Index item, std::size_t bytes) {
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
