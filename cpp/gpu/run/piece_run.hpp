// The pieces of a task under way on a device: samples up, kernels, results down, each beside those
// of others.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gpu/record/command_session.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/device_jobs.hpp"
#include "gpu/run/pieces.hpp"
#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// How audio comes to the kernels of a piece.
enum class AudioWay : std::uint8_t {
  // A piece uploads the samples that its kernels read; later nobody has them.
  not_kept,
  // All clips are on the device already.
  is_there,
  // A piece uploads its clips to where they are kept, and its kernels read them there.
  piece_by_piece,
  // The same, but kernels run on groups of clips, which are larger than a piece, as soon as all
  // pieces of a group are there.
  before_groups,
};

struct Audio {
  AudioWay way = AudioWay::not_kept;
  const KeptAudio* kept = nullptr;  // where it stays
  Index group_clips = 0;            // clips of a group, if there are groups
};

class PieceRun {
 public:
  // `unchecked`: samples that must be finite, as run_streamed says.
  PieceRun(Device& device, const Task& task, Cut cut, const Audio& audio,
           std::span<const float> unchecked);

  // Memory of a session, on the device and on the host beside it, at most.
  std::size_t largest_session() const;
  // Runs the pieces, of which so many may be in flight at a time.
  void run(int most_in_flight);

 private:
  // Clips whose kernels run together, and how many of their pieces are still to be uploaded.
  struct Group {
    explicit Group(const Piece& all) : clips(all) {}
    Piece clips;
    std::atomic<Index> missing{0};
  };
  Group& group_of(const Piece& piece) {
    return groups_[static_cast<std::size_t>(piece.clip / audio_.group_clips)];
  }

  // Items of its jobs: first all pieces, then all groups.
  Index n_pieces() const { return static_cast<Index>(cut_.pieces.size()); }
  Piece piece_of(Index item) const {
    return item < n_pieces() ? cut_.pieces[static_cast<std::size_t>(item)]
                             : groups_[static_cast<std::size_t>(item - n_pieces())].clips;
  }
  bool is_kept() const { return audio_.way != AudioWay::not_kept; }
  // Whether an item is a piece that is uploaded only; groups compute later.
  bool uploads_only(Index item) const {
    return audio_.way == AudioWay::before_groups && item < n_pieces();
  }
  bool copies_all(const void* data) const;

  std::size_t session_bytes(Index item) const;
  void answer();
  template <class F>
  void run_by_itself(const SessionNeed& need, F&& record);
  Index start(CommandSession& session, Index item);
  Index start_upload(CommandSession& session, const Piece& piece);
  void compute(CommandSession& session, Index item);
  void finish(CommandSession& session, Index item) const;

  void upload(CommandSession& session, const Piece& piece, std::size_t i, const Region& region,
              const Slice& target) const;
  std::size_t whole_region_bytes(const Piece& piece) const;
  Slice kept_clips(const Piece& piece) const;
  void upload_kept(CommandSession& session, const Piece& piece) const;
  Slice kept_part(CommandSession& session, Piece& piece) const;
  Slice carry_of(CommandSession& session, Index item, std::size_t bytes);

  Device& device_;
  const Task& task_;
  const Cut cut_;
  const Audio audio_;
  const BatchMemory shared_;
  std::deque<Group> groups_;
  const void* checked_ = nullptr;  // the input whose samples are checked while they are copied
  std::vector<Allocation> carries_;
};

}  // namespace metalmom::gpu
