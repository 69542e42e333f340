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

// One thread at a time. It holds nothing of Python, and ends before the process does: drivers do
// not bear calls while they are unloaded.
class Watch {
 public:
  void wake() {
    if (watching_.load(std::memory_order_relaxed)) return;
    std::lock_guard lock(mutex_);
    if (watching_ || ended_) return;
    if (thread_.joinable()) thread_.join();  // it is past its last look
    try {
      thread_ = std::thread([this] { look(); });
      watching_ = true;
    } catch (const std::system_error&) {
      // No thread can be had: memory is kept until the next release tries again.
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

// A forked child has no such thread, and makes its own.
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
