// A thread that gives kept memory back to the driver when no more calls come, and writes the cache
// of pipelines.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace metalmom::gpu {

// A thread that looks at what is kept, every `interval`, until nothing is kept; there is at most
// one. It uses nothing of Python.
class IdleWatch {
 public:
  // `look` gives back what is due, and returns whether anything is still kept.
  IdleWatch(std::chrono::milliseconds interval, std::function<bool()> look)
      : interval_(interval), look_(std::move(look)) {}
  ~IdleWatch() { end(); }
  IdleWatch(const IdleWatch&) = delete;

  // To be called when something is kept: a look comes after that. Where no thread can be started,
  // the next call tries again.
  void wake();
  // Joins the thread; none comes after it.
  void end();

 private:
  void run();

  const std::chrono::milliseconds interval_;
  const std::function<bool()> look_;
  std::mutex mutex_;  // guards what follows; not held during a look
  std::condition_variable ending_;
  std::thread thread_;
  // Somebody called since the last look began, so there is a thread, which looks once more. Who
  // keeps something that a look does not see finds this false: the lock of what is kept puts the
  // one after the other.
  std::atomic<bool> woken_{false};
  bool watching_ = false, ended_ = false;
};

// To be called when something is kept: a thread then looks at it every few seconds until nothing is
// kept. Memory that no call has used for five to ten seconds goes back to the driver.
void watch_idle_devices() noexcept;

// One step of that thread, over all opened devices: writes caches of pipelines, and gives memory
// back. Returns whether anything is still kept.
bool tend_idle_devices();

}  // namespace metalmom::gpu
