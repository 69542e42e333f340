// Sessions between calls.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/command_session.hpp"

namespace metalmom::gpu {

// Sessions that nobody uses, and those whose work runs on without anybody waiting.
class SessionPool {
 public:
  explicit SessionPool(Device& device) : device_(device) {}

  struct Return {
    SessionPool* pool;
    void operator()(CommandSession* session) const;
  };
  using Lease = std::unique_ptr<CommandSession, Return>;

  Lease lease();
  // Lets submitted work run on; the session comes back when it is done.
  void park(Lease session);
  // Waits until all parked work is done, and rethrows what went wrong with it.
  void drain();
  // Frees idle sessions with what they hold: all, or those that nobody leased since the last call of
  // `age`, which says whether some are left.
  void trim();
  bool age();

 private:
  void keep_idle(std::unique_ptr<CommandSession> session);
  void retire_oldest();

  Device& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<CommandSession>> idle_;  // the last one was used last
  std::size_t unused_ = 0;  // of them, the first so many since the last `age`
  std::deque<std::unique_ptr<CommandSession>> parked_;
};

}  // namespace metalmom::gpu
