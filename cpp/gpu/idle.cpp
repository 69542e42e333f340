#include "gpu/idle.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/fork.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::chrono::seconds interval{5};

// The thread that ages kept memory; there is at most one. It uses nothing of Python, and is joined
// before the process exits, because drivers do not bear calls while they are unloaded.
class Watch {
 public:
  void wake() {
    if (watching_.load(std::memory_order_relaxed)) return;
    std::lock_guard lock(mutex_);
    if (watching_ || ended_) return;
    // the thread has done its last step, so this does not wait
    if (thread_.joinable()) thread_.join();
    try {
      thread_ = std::thread([this] { look(); });
      watching_ = true;
    } catch (const std::system_error&) {
      // No thread could be started: memory stays kept until the next release tries again.
    }
  }

  void end() {
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void look() {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, interval, [&] { return ended_; })) {
      lock.unlock();
      const bool keeps = age_memory();
      lock.lock();
      if (!keeps) break;
    }
    watching_ = false;
  }

  std::mutex mutex_;
  std::condition_variable ending_;
  std::thread thread_;
  std::atomic<bool> watching_{false};
  bool ended_ = false;
};

// A forked child does not have the parent's thread, and starts its own.
Watch& watch() {
  static auto* instance = [] {
    auto* made = new ForkLocal<Watch>;
    std::atexit([] { watch().end(); });
    return made;
  }();
  return instance->get();
}

}  // namespace

void watch_idle_memory() {
  watch().wake();
}

}  // namespace metalmom::gpu
