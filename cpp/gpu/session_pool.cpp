#include "gpu/session_pool.hpp"

#include <algorithm>

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
  std::lock_guard lock(pool->mutex_);
  if (done)
    pool->keep_idle(std::move(owned));
  else
    pool->keep_parked(std::move(owned));
}

// Drops the session that was used longest ago: the next call is most likely one like the last.
void SessionPool::keep_idle(std::unique_ptr<CommandSession> session) {
  session->let_go();
  idle_.push_back(std::move(session));
  std::size_t held = 0;
  for (const auto& each : idle_) held += each->held_bytes();
  for (; held > most_idle_bytes; idle_.erase(idle_.begin())) held -= idle_.front()->held_bytes();
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
  std::unique_ptr<CommandSession> session;
  const std::size_t most = device_.clock.runs() ? max_parked : max_parked_without_clock;
  for (;; check_interrupt()) {
    std::lock_guard lock(mutex_);
    retire_done();
    if (parked_.size() >= most && !parked_.front()->wait_for(interrupt_interval)) continue;
    session = take_idle(bytes);
    break;
  }
  if (!session) session = std::make_unique<CommandSession>(device_);
  return Lease(session.release(), Return{this});
}

void SessionPool::retire_oldest() {
  auto session = std::move(parked_.front());
  parked_.pop_front();
  session->wait();  // returns at once: the session is done
  keep_idle(std::move(session));
}

// Those of parked sessions whose work is done become idle. All work goes to one queue, so it ends in
// the order of its submission. An error is for whoever uses the device next, not for those who only
// ask what is free.
void SessionPool::retire_done() {
  try {
    while (!parked_.empty() && parked_.front()->done()) retire_oldest();
  } catch (const std::exception&) {
  }
}

void SessionPool::keep_parked(std::unique_ptr<CommandSession> session) {
  parked_.push_back(std::move(session));
  watch_idle_memory();  // which finds out when it is done, if nobody calls
}

void SessionPool::park(Lease session) {
  std::lock_guard lock(mutex_);
  keep_parked(std::unique_ptr<CommandSession>(session.release()));
}

void SessionPool::drain() {
  for (;; check_interrupt()) {
    std::lock_guard lock(mutex_);
    if (parked_.empty()) return;
    // A user waits for results of their own: mostly a millisecond or two.
    if (parked_.front()->wait_for(interrupt_interval, Device::long_spin)) retire_oldest();
  }
}

void SessionPool::trim() {
  std::lock_guard lock(mutex_);
  retire_done();
  idle_.clear();
  unused_ = 0;
}

bool SessionPool::age() {
  std::lock_guard lock(mutex_);
  retire_done();
  idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(unused_));
  unused_ = idle_.size();
  return !idle_.empty() || !parked_.empty();
}

}  // namespace metalmom::gpu
