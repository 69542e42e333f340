#include "gpu/vk/idle.hpp"

#include <cstdlib>
#include <exception>
#include <new>

#include "base/fork.hpp"
#include "gpu/device.hpp"

namespace metalmom::gpu {

void IdleWatch::wake() {
  if (woken_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex_);
  woken_ = true;
  if (watching_ || ended_) return;
  // The thread has done its last step, so this does not wait.
  if (thread_.joinable()) thread_.join();
  try {
    thread_ = std::thread([this] { run(); });
    watching_ = true;
  } catch (const std::exception&) {
    woken_ = false;  // no thread can be started now, so what is kept stays until the next call
  }
}

void IdleWatch::end() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void IdleWatch::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, interval_, [&] { return ended_; })) {
    woken_ = false;
    lock.unlock();
    bool keeps = true;
    try {
      keeps = look_();
    } catch (const std::exception&) {
      // No memory, of the host or of a device: there is a next time.
    }
    lock.lock();
    if (!keeps && !woken_) break;
  }
  watching_ = false;
}

namespace {

// Joined before the process exits, because drivers do not bear calls while they are unloaded.
struct DeviceWatch : IdleWatch {
  DeviceWatch() : IdleWatch(std::chrono::seconds(5), tend_idle_devices) {}
};

// A forked child does not have the parent's thread, and starts its own.
IdleWatch& watch() {
  static auto* instance = [] {
    auto* made = new ForkLocal<DeviceWatch>;
    std::atexit([] {
      watch().end();
      try {
        save_pipelines();
      } catch (const std::exception&) {
        // Without memory to write them, the next process builds them again.
      }
    });
    return made;
  }();
  return instance->get();
}

}  // namespace

void watch_idle_devices() noexcept {
  try {
    watch().wake();
  } catch (const std::exception&) {
    // Without memory for a watch, the next call tries again.
  }
}

}  // namespace metalmom::gpu
