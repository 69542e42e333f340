// Work for a device that is submitted at once, and what keeps the device busy with many of them:
// each pool thread has its own sessions, fills one while the device works on the other, and takes
// the next submission when it has room.
#pragma once

#include <atomic>
#include <span>

#include "gpu/record/command_session.hpp"

namespace metalmom::gpu {

class Submission {
 public:
  virtual ~Submission() = default;

  virtual SessionNeed need() = 0;
  virtual void record(CommandSession& session) = 0;
  virtual void finish(CommandSession& session) = 0;  // when its work is done

  // `next` is submitted after this one and all others that were told so, right after the last of
  // them and by its thread.
  void come_before(Submission& next) {
    next_ = &next;
    ++next.n_before_;
  }
  // To be called when this one is submitted: the one that can be submitted now, or null.
  Submission* next() const { return next_ && next_->n_before_.fetch_sub(1) == 1 ? next_ : nullptr; }

 private:
  Submission* next_ = nullptr;
  std::atomic<Index> n_before_{0};
};

// Bytes of a session with this need, on the device and on the host beside it.
std::size_t session_bytes(const Device& device, const SessionNeed& need);

// Sessions of so many bytes that may be in flight on a device: two for each thread, as far as they
// fit `budget` bytes of its memory and can be kept for the next call.
int sessions_in_flight(std::size_t session_bytes, std::size_t budget);

// Submits these and what comes after them, of which so many may be in flight at a time. The first
// exception ends all, when what is in flight has ended, and is rethrown. What the threads counted
// is added to the caller's counters.
void run_submissions(Device& device, std::span<Submission* const> submissions, int most_in_flight);

}  // namespace metalmom::gpu
