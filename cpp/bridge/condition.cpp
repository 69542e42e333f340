#include "bridge/condition.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/waiting.hpp"
#include "bridge/gil.hpp"

namespace metalmom::bridge {

namespace {

Deadline deadline_in(std::optional<double> seconds) {
  using std::chrono::steady_clock;
  constexpr double longest = 1e9;
  if (!seconds || !(*seconds < longest)) return no_deadline;
  const std::chrono::duration<double> span(std::max(*seconds, 0.0));
  return steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(span);
}

}  // namespace

// With the mutex.
bool Condition::try_take() {
  const auto me = std::this_thread::get_id();
  if (depth_ > 0 && owner_ != me) return false;
  owner_ = me;
  ++depth_;
  return true;
}

void Condition::require_mine(const char* what) {
  if (depth_ == 0 || owner_ != std::this_thread::get_id())
    throw std::runtime_error(std::string("cannot ") + what +
                             " a lock that this thread does not hold");
}

bool Condition::acquire(bool blocking, std::optional<double> seconds) {
  {
    const std::lock_guard lock(mutex_);
    if (try_take()) return true;
  }
  if (!blocking) return false;
  const GilReleased unlocked;
  std::unique_lock lock(mutex_);
  return wait_until(lock, changed_, deadline_in(seconds), [this] { return try_take(); });
}

void Condition::release() {
  const std::lock_guard lock(mutex_);
  require_mine("release");
  if (--depth_ == 0) changed_.notify_all();
}

bool Condition::wait(std::optional<double> seconds) {
  const GilReleased unlocked;
  std::unique_lock lock(mutex_);
  require_mine("wait with");
  const Index depth = std::exchange(depth_, 0);
  const std::uint64_t before = notified_;
  changed_.notify_all();
  bool was_notified = false;
  std::exception_ptr interrupted;
  try {
    was_notified =
        wait_until(lock, changed_, deadline_in(seconds), [&] { return notified_ != before; });
  } catch (...) {
    interrupted = std::current_exception();
    lock.lock();
  }
  changed_.wait(lock, [this] { return depth_ == 0; });  // its holder keeps it only briefly
  owner_ = std::this_thread::get_id();
  depth_ = depth;
  if (interrupted) std::rethrow_exception(interrupted);
  return was_notified;
}

void Condition::notify_all() {
  const std::lock_guard lock(mutex_);
  require_mine("notify with");
  ++notified_;
  changed_.notify_all();
}

}  // namespace metalmom::bridge
