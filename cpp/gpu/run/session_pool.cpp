#include "gpu/run/session_pool.hpp"

#include <algorithm>
#include <iterator>

#include "base/interrupt.hpp"
#include "gpu/vk/idle.hpp"

namespace metalmom::gpu {

namespace {

// So many sessions may be parked; the next call that would park one waits for the oldest. Where no
// clock says when memory is free, work that is queued on the device holds its memory.
constexpr std::size_t max_parked = 64, max_parked_without_clock = 16;

}  // namespace

void SessionPool::Return::operator()(CommandSession*) const {
  Sessions dropped;
  bool is_lost = false;
  try {
    // It may be in flight when an exception ends the lease.
    if (!place->session.done()) return pool->keep_parked(place);
  } catch (const std::exception&) {
    is_lost = true;  // the device, and its sessions with it
  }
  std::lock_guard lock(pool->mutex_);
  if (is_lost)
    dropped.splice(dropped.end(), pool->taken_, place);
  else
    pool->keep_idle(place, dropped);
}

// Of one that was taken. Drops the session that was used longest ago: the next call is most likely
// one like the last.
void SessionPool::keep_idle(Sessions::iterator session, Sessions& dropped) {
  session->session.let_go();
  idle_.splice(idle_.end(), taken_, session);
  std::size_t held = 0;
  for (const Member& each : idle_) held += each.session.held_bytes();
  while (held > most_idle_bytes) {
    held -= idle_.front().session.held_bytes();
    dropped.splice(dropped.end(), idle_, idle_.begin());
  }
  unused_ = std::min(unused_, idle_.size());
}

// The end if there is none.
SessionPool::Sessions::iterator SessionPool::take_idle(std::size_t bytes) {
  if (idle_.empty()) return taken_.end();
  auto best = std::prev(idle_.end());
  for (auto each = idle_.begin(); each != idle_.end(); ++each) {
    const std::size_t held = each->session.held_bytes(), best_held = best->session.held_bytes();
    if (held >= bytes && (best_held < bytes || held < best_held)) best = each;
  }
  taken_.splice(taken_.end(), idle_, best);
  unused_ = std::min(unused_, idle_.size());
  return best;
}

SessionPool::Lease SessionPool::lease(std::size_t bytes) {
  Sessions dropped;
  std::unique_lock lock(mutex_);
  retire_done(dropped);
  auto session = take_idle(bytes);
  if (session == taken_.end()) {
    lock.unlock();
    Sessions made;
    made.emplace_back(device_);
    session = made.begin();
    lock.lock();
    taken_.splice(taken_.end(), made);
  }
  return Lease(&session->session, Return{this, session});
}

// Those of parked sessions whose work is done become idle. All work goes to one queue, so it ends
// in the order of its submission. An error is for whoever uses the device next, not for those who
// only ask what is free.
void SessionPool::retire_done(Sessions& dropped) {
  try {
    while (!parked_.empty() && parked_.front().session.done()) {
      const auto oldest = parked_.begin();
      taken_.splice(taken_.end(), parked_, oldest);
      oldest->is_done = true;
      if (oldest->waiters == 0) keep_idle(oldest, dropped);
    }
  } catch (const std::exception&) {
  }
}

// A thread that waits for a parked session, without the lock. If others find meanwhile that its
// work is done, it becomes idle when the last one that waits has gone.
class SessionPool::Waiter {
 public:
  Waiter(SessionPool& pool, std::unique_lock<std::mutex>& lock, Sessions& dropped)
      : pool_(pool), lock_(lock), dropped_(dropped), parked_(pool.parked_.begin()) {
    ++parked_->waiters;
    lock_.unlock();
  }
  ~Waiter() {
    lock_.lock();
    if (--parked_->waiters == 0 && parked_->is_done) pool_.keep_idle(parked_, dropped_);
  }
  Waiter(const Waiter&) = delete;
  const CommandSession& session() const { return parked_->session; }

 private:
  SessionPool& pool_;
  std::unique_lock<std::mutex>& lock_;
  Sessions& dropped_;
  const Sessions::iterator parked_;
};

template <class IsOver>
void SessionPool::wait(std::chrono::microseconds spin_for, const IsOver& is_over) {
  Sessions dropped;
  std::unique_lock lock(mutex_);
  const std::uint64_t last = n_parked_;
  for (retire_done(dropped); !is_over(last); retire_done(dropped)) {
    const Waiter waiter(*this, lock, dropped);
    check_interrupt();
    waiter.session().wait_beside(interrupt_interval, spin_for);
  }
}

void SessionPool::await_room() {
  const std::size_t most = device_.clock.runs() ? max_parked : max_parked_without_clock;
  wait(Device::short_spin, [&](std::uint64_t) { return parked_.size() < most; });
}

void SessionPool::keep_parked(Sessions::iterator session) {
  {
    std::lock_guard lock(mutex_);
    session->number = ++n_parked_;
    session->is_done = false;
    parked_.splice(parked_.end(), taken_, session);
  }
  watch_idle_devices();  // which finds out when it is done, if nobody calls
}

void SessionPool::park(Lease session) {
  session.release();
  keep_parked(session.get_deleter().place);
}

void SessionPool::drain() {
  // A user waits for results of their own: mostly a millisecond or two.
  wait(Device::long_spin,
       [&](std::uint64_t last) { return parked_.empty() || parked_.front().number > last; });
}

void SessionPool::trim() {
  std::lock_guard turn(turn_);
  Sessions dropped;
  std::lock_guard lock(mutex_);
  retire_done(dropped);
  dropped.splice(dropped.end(), idle_);
  unused_ = 0;
}

bool SessionPool::age() {
  std::lock_guard turn(turn_);
  Sessions dropped;
  std::lock_guard lock(mutex_);
  retire_done(dropped);
  const auto used = std::next(idle_.begin(), static_cast<std::ptrdiff_t>(unused_));
  dropped.splice(dropped.end(), idle_, idle_.begin(), used);
  unused_ = idle_.size();
  return !idle_.empty() || !parked_.empty();
}

}  // namespace metalmom::gpu
