// The pieces of a call under way: samples up, kernels, results down, each beside those of others.
#pragma once

#include <atomic>
#include <deque>
#include <span>
#include <vector>

#include "gpu/command_session.hpp"
#include "gpu/pieces.hpp"
#include "gpu/device_jobs.hpp"
#include "gpu/run.hpp"
#include "gpu/shared_memory.hpp"

namespace metalmom::gpu {

class Stream {
 public:
  // `group_clips` > 0: audio that is kept goes up piece by piece, and kernels run on groups of so
  // many clips.
  Stream(Device& device, const Task& task, Cut cut, std::span<const float> unchecked,
         const KeptClips* kept, Index group_clips);

  // Memory of a session, on the device and on the host beside it, at most.
  std::size_t largest_session() const;
  void limit_in_flight(int most) { most_in_flight_ = most; }

  // Runs streams side by side on `workers` threads, each with at most `depth` pieces in flight.
  // `failed`: the device that an error comes from.
  static void run(std::deque<Stream>& streams, int workers, int depth, std::atomic<Device*>* failed);

 private:
  // Clips whose kernels run together, and how many of their pieces are still to be uploaded.
  struct Group {
    explicit Group(const Piece& all) : clips(all) {}
    Piece clips;
    std::atomic<Index> missing{0};
  };
  Group& group_of(const Piece& piece) {
    return groups_[static_cast<std::size_t>(piece.clip / group_clips_)];
  }

  // Items of its jobs: first all pieces, then all groups.
  Index n_pieces() const { return static_cast<Index>(cut_.pieces.size()); }
  Piece piece_of(Index item) const {
    return item < n_pieces() ? cut_.pieces[static_cast<std::size_t>(item)]
                             : groups_[static_cast<std::size_t>(item - n_pieces())].clips;
  }
  // Whether pieces upload the audio that is kept and run kernels in the same submission.
  bool brings_audio() const { return kept_ && !kept_->filled && groups_.empty(); }
  bool copies_all(const void* data) const;

  std::size_t session_bytes(Index item) const;
  DeviceJobs jobs();
  void answer();
  template <class F>
  void run_by_itself(const SessionNeed& need, F&& record);
  Index start(CommandSession& session, Index item);
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
  const KeptClips* const kept_;
  const SharedMemory shared_;
  const Index group_clips_;
  int most_in_flight_ = 1;
  std::deque<Group> groups_;
  const void* checked_ = nullptr;  // the input whose samples are checked while they are copied
  std::vector<Allocation> carries_;
};

}  // namespace metalmom::gpu
