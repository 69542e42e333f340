#include "trace/host_memory.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/fork.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {

namespace {

// Short beside what a person sees on a timeline, and long beside the 10 us that a sample takes.
constexpr auto interval = std::chrono::milliseconds(10);

constexpr Site site{"host memory", Category::engine};

// Bytes; 0 where the system does not tell.
std::int64_t resident_memory() {
  long long size = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (std::fscanf(file, "%lld %lld", &size, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

struct Sampler {
  std::mutex mutex;
  std::condition_variable_any asking;
  int users = 0;
  bool is_asked = false;  // for a value, also if it is that of before
  std::jthread thread;
};

void watch(const std::stop_token& stop, Sampler& own) {
  name_thread("host memory");
  std::unique_lock lock(own.mutex);
  std::int64_t last = 0;
  while (!stop.stop_requested()) {
    const bool is_asked = std::exchange(own.is_asked, false);
    lock.unlock();
    const std::int64_t now = resident_memory();
    if (is_asked || now != last) counter(site, now);
    last = now;
    lock.lock();
    own.asking.wait_for(lock, stop, interval, [&] { return own.is_asked; });
  }
}

void watch_until(const std::stop_token& stop, Sampler& own) {
  try {
    watch(stop, own);
  } catch (const std::bad_alloc&) {
    // the recording has no such track
  }
}

// A forked child does not have the thread, and no samples until it records itself.
Sampler& sampler() {
  static auto* instance = new ForkLocal<Sampler>;
  return instance->get();
}

}  // namespace

HostMemoryTrack::HostMemoryTrack() : mine_(&sampler()) {
  Sampler& own = sampler();
  std::lock_guard lock(own.mutex);
  if (++own.users > 1) return;
  try {
    own.thread = std::jthread(watch_until, std::ref(own));
  } catch (const std::exception&) {
    // no thread can be started now: the recording has no such track
  }
}

void HostMemoryTrack::ask() const {
  Sampler& own = sampler();
  std::lock_guard lock(own.mutex);
  own.is_asked = true;
  own.asking.notify_all();
}

HostMemoryTrack::~HostMemoryTrack() {
  std::jthread ending;  // joined after the lock is released
  Sampler& own = sampler();
  if (mine_ != &own) return;  // the parent's, in a forked child
  std::lock_guard lock(own.mutex);
  if (--own.users == 0) ending = std::move(own.thread);
}

}  // namespace metalmom::trace
