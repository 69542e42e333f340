// Sessions between calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "gpu/record/command_session.hpp"

namespace metalmom::gpu {

// Sessions that nobody uses, and those whose work runs on without anybody waiting. Any thread may
// call; whoever waits for parked work holds no lock, so that the others go on meanwhile. A session
// comes back without an allocation: it moves from list to list.
class SessionPool {
  struct Member {
    explicit Member(Device& device) : session(device) {}
    CommandSession session;
    std::uint64_t number = 0;  // in the order of parking
    int waiters = 0;           // threads that look at the session, which nobody else may have then
    bool is_done = false;      // while they wait
  };
  using Sessions = std::list<Member>;

 public:
  // Bytes that all idle sessions together may keep. A call that has more under way would make its
  // sessions anew each time.
  static constexpr std::size_t most_idle_bytes = std::size_t{512} << 20;

  explicit SessionPool(Device& device) : device_(device) {}

  struct Return {
    SessionPool* pool;
    Sessions::iterator place;
    void operator()(CommandSession*) const;
  };
  using Lease = std::unique_ptr<CommandSession, Return>;

  // A session that nobody uses: the smallest that holds at least `bytes`. If pieces of different
  // sizes took any session, each session would grow to the largest size.
  Lease lease(std::size_t bytes = 0);
  // Waits until a call may park more work.
  void await_room();
  // Lets submitted work run on; the session comes back when it is done.
  void park(Lease session);
  // Waits until all work is done that is parked by now, and rethrows what went wrong with it.
  void drain();
  // Frees idle sessions and their memory, also of those parked whose work is done by now: `trim`
  // all of them, `age` those that nobody leased since the call of `age` before. `age` returns
  // whether idle or parked sessions are left. Both return once the memory is
  // free, including that of sessions which the other is dropping: a limit that is set next must not
  // find it in use.
  void trim();
  bool age();

 private:
  class Waiter;

  void keep_parked(Sessions::iterator session);
  // Waits for one parked session after the other until `is_over`, which is asked with the lock and
  // gets the number of the session that was parked last when the wait began.
  template <class IsOver>
  void wait(std::chrono::microseconds spin_for, const IsOver& is_over);
  // These are called with the lock. `dropped` gets sessions to be destroyed without it.
  Sessions::iterator take_idle(std::size_t bytes);
  void keep_idle(Sessions::iterator session, Sessions& dropped);
  void retire_done(Sessions& dropped);

  Device& device_;
  // Held by `trim` and `age` until what they drop is destroyed. Taken before `mutex_`.
  std::mutex turn_;
  std::mutex mutex_;  // guards what follows; not held to wait for a device or to destroy a session
  Sessions taken_;    // by a lease, or by waiters though their work is done
  Sessions idle_;     // the last one was used last
  std::size_t unused_ = 0;  // so many of them, from the first, were not used since the last `age`
  Sessions parked_;         // the first one was parked first
  std::uint64_t n_parked_ = 0;  // ever
};

}  // namespace metalmom::gpu
