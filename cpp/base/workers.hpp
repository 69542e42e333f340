// One persistent pool of worker threads for the process. Work is a range of items cut into
// contiguous parts; which thread takes a part never changes a result.
#pragma once

#include <memory>

#include "base/view.hpp"

namespace metalmom {

inline constexpr int max_threads = 4096;

// Threads the engine may use in calls from this thread: the innermost `ThreadsScope`, else the
// process default (`set_default_threads`, METALMOM_NUM_THREADS, OMP_NUM_THREADS, the cores this
// process may use).
int thread_count();
int default_threads();
void set_default_threads(int count);  // 0: as at the start of the process

// Sets this thread's own count (0: the process default) and returns the one before.
int set_scoped_threads(int count);

class ThreadsScope {
 public:
  explicit ThreadsScope(int count) : previous_(set_scoped_threads(count)) {}
  ~ThreadsScope() { set_scoped_threads(previous_); }
  ThreadsScope(const ThreadsScope&) = delete;

 private:
  int previous_;
};

// Called around the part of a worker, for per-worker spans; null when nobody looks. They must not
// throw: on a thread of the pool nobody would catch it, on the caller's the others still work.
struct WorkerHook {
  void* (*begin)(Index first, Index last) noexcept = nullptr;
  void (*end)(void* token) noexcept = nullptr;
};
void set_worker_hook(WorkerHook hook);

namespace detail {
enum class Parts { loop, tasks };
using Part = void (*)(void* context, Index first, Index last);
void parallel_parts(Index count, Index grain, Parts kind, void* context, Part part);

template <class F>
void parallel_parts(Index count, Index grain, Parts kind, F& body) {
  parallel_parts(count, grain, kind, &body, [](void* context, Index first, Index last) {
    (*static_cast<F*>(context))(first, last);
  });
}
}  // namespace detail

// Calls body(first, last) over [0, count), in parallel when there are at least two grains and more
// than one thread. Parts are multiples of `grain` (but the last). Runs on the calling thread when
// the work is small, and when called from within another loop. The first exception of a part is
// rethrown here.
template <class F>
void parallel_for(Index count, Index grain, F&& body) {
  detail::parallel_parts(count, grain, detail::Parts::loop, body);
}

// Calls body(i) for each i of [0, count), side by side. Loops within a task are parallel too:
// threads that find no further task join them. Together they use at most `thread_count()` threads.
// Tasks within tasks, or within a loop, run one after the other.
template <class F>
void parallel_tasks(Index count, F&& body) {
  auto some = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) body(i);
  };
  detail::parallel_parts(count, 1, detail::Parts::tasks, some);
}

}  // namespace metalmom
