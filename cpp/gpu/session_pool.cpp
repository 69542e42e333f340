#include "gpu/session_pool.hpp"

#include <algorithm>
#include <iterator>

#include "base/interrupt.hpp"
#include "gpu/idle.hpp"

namespace metalmom::gpu {

namespace {

// So many sessions may be parked; the next call waits for the oldest. Where no clock says when memory
// is free, work that is queued on the device holds its memory.
constexpr std::size_t max_parked = 64, max_parked_without_clock = 16;

}  // namespace

void SessionPool::Return::operator()(CommandSession* session) const {
  std::unique_ptr<CommandSession> owned(session);
  bool done = false;
  try {
    done = owned->done();  // it may be in flight when an exception ends the lease
  } catch (const std::exception&) {
    return;  // the device is lost, and its sessions with it
  }
  if (!done) return pool->keep_parked(std::move(owned));
  Sessions dropped;
  std::lock_guard lock(pool->mutex_);
  pool->keep_idle(std::move(owned), dropped);
}

// Drops the session that was used longest ago: the next call is most likely one like the last.
void SessionPool::keep_idle(std::unique_ptr<CommandSession> session, Sessions& dropped) {
  session->let_go();
  idle_.push_back(std::move(session));
  std::size_t held = 0;
  for (const auto& each : idle_) held += each->held_bytes();
  auto kept = idle_.begin();
  for (; held > most_idle_bytes; ++kept) {
    held -= (*kept)->held_bytes();
    dropped.push_back(std::move(*kept));
  }
  idle_.erase(idle_.begin(), kept);
  unused_ = std::min(unused_, idle_.size());
}

std::unique_ptr<CommandSession> SessionPool::take_idle(std::size_t bytes) {
  if (idle_.empty()) return nullptr;
  auto best = idle_.end() - 1;
  for (auto each = idle_.begin(); each != idle_.end(); ++each) {
    const std::size_t held = (*each)->held_bytes();
    if (held >= bytes && ((*best)->held_bytes() < bytes || held < (*best)->held_bytes())) best = each;
  }
  auto session = std::move(*best);
  idle_.erase(best);
  unused_ = std::min(unused_, idle_.size());
  return session;
}

SessionPool::Lease SessionPool::lease(std::size_t bytes) {
  const std::size_t most = device_.clock.runs() ? max_parked : max_parked_without_clock;
  Sessions dropped;
  std::unique_lock lock(mutex_);
  for (retire_done(dropped); parked_.size() >= most; retire_done(dropped))
    wait_for_oldest(lock, Device::short_spin, dropped);
  std::unique_ptr<CommandSession> session = take_idle(bytes);
  lock.unlock();
  if (!session) session = std::make_unique<CommandSession>(device_);
  return Lease(session.release(), Return{this});
}

// Those of parked sessions whose work is done become idle. All work goes to one queue, so it ends in
// the order of its submission. An error is for whoever uses the device next, not for those who only
// ask what is free.
void SessionPool::retire_done(Sessions& dropped) {
  try {
    while (!parked_.empty() && parked_.front()->session->done()) {
      const std::shared_ptr<Parked> oldest = std::move(parked_.front());
      parked_.pop_front();
      oldest->is_done = true;
      if (oldest->waiters == 0) keep_idle(std::move(oldest->session), dropped);
    }
  } catch (const std::exception&) {
  }
}

// A thread that waits for a parked session, without the lock. If others find meanwhile that its work
// is done, it becomes idle when the last one that waits has gone.
class SessionPool::Waiter {
 public:
  Waiter(SessionPool& pool, std::unique_lock<std::mutex>& lock, Sessions& dropped)
      : pool_(pool), lock_(lock), dropped_(dropped), parked_(pool.parked_.front()) {
    ++parked_->waiters;
    lock_.unlock();
  }
  ~Waiter() {
    lock_.lock();
    if (--parked_->waiters == 0 && parked_->is_done)
      pool_.keep_idle(std::move(parked_->session), dropped_);
  }
  Waiter(const Waiter&) = delete;
  const CommandSession& session() const { return *parked_->session; }

 private:
  SessionPool& pool_;
  std::unique_lock<std::mutex>& lock_;
  Sessions& dropped_;
  const std::shared_ptr<Parked> parked_;
};

// Returns when its work is done, or soon after a signal may have come.
void SessionPool::wait_for_oldest(std::unique_lock<std::mutex>& lock,
                                  std::chrono::microseconds spin_for, Sessions& dropped) {
  const Waiter waiter(*this, lock, dropped);
  check_interrupt();
  waiter.session().wait_beside(interrupt_interval, spin_for);
}

void SessionPool::keep_parked(std::unique_ptr<CommandSession> session) {
  {
    std::lock_guard lock(mutex_);
    parked_.push_back(std::make_shared<Parked>(Parked{std::move(session), ++n_parked_}));
  }
  watch_idle_memory();  // which finds out when it is done, if nobody calls
}

void SessionPool::park(Lease session) {
  keep_parked(std::unique_ptr<CommandSession>(session.release()));
}

void SessionPool::drain() {
  Sessions dropped;
  std::unique_lock lock(mutex_);
  const std::uint64_t last = n_parked_;
  const auto is_over = [&] { return parked_.empty() || parked_.front()->number > last; };
  // A user waits for results of their own: mostly a millisecond or two.
  for (retire_done(dropped); !is_over(); retire_done(dropped))
    wait_for_oldest(lock, Device::long_spin, dropped);
}

void SessionPool::trim() {
  Sessions dropped;
  std::lock_guard lock(mutex_);
  retire_done(dropped);
  std::ranges::move(idle_, std::back_inserter(dropped));
  idle_.clear();
  unused_ = 0;
}

bool SessionPool::age() {
  Sessions dropped;
  std::lock_guard lock(mutex_);
  retire_done(dropped);
  const auto used = idle_.begin() + static_cast<std::ptrdiff_t>(unused_);
  std::move(idle_.begin(), used, std::back_inserter(dropped));
  idle_.erase(idle_.begin(), used);
  unused_ = idle_.size();
  return !idle_.empty() || !parked_.empty();
}

}  // namespace metalmom::gpu
