// Streams and events of the fake CUDA.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "gpu/interop/cuda_api.hpp"

namespace metalmom::gpu::cuda {

// A thread that does one thing after another.
struct StreamObject {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool busy = false, ended = false;
  std::thread thread{[this] { run(); }};

  void add(std::function<void()> each) {
    std::lock_guard lock(mutex);
    work.push_back(std::move(each));
    changed.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return work.empty() && !busy; });
  }
  bool is_idle() {
    std::lock_guard lock(mutex);
    return work.empty() && !busy;
  }
  void end() {
    drain();
    {
      std::lock_guard lock(mutex);
      ended = true;
      changed.notify_all();
    }
    thread.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return ended || !work.empty(); });
      if (work.empty()) return;
      const auto next = std::move(work.front());
      work.pop_front();
      busy = true;
      lock.unlock();
      next();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
};

// One recording of an event.
struct Record {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};
struct EventObject {
  std::shared_ptr<Record> last;
};

}  // namespace metalmom::gpu::cuda
