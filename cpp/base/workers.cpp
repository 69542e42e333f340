#include "base/workers.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/environment.hpp"
#include "base/fork.hpp"
#include "base/interrupt.hpp"
#include "base/part_size.hpp"
#include "base/room.hpp"

namespace metalmom {

namespace {

// Cores by affinity, bounded by the CPU quota of this process's cgroup (v2) where there is one.
int available_cores() {
  cpu_set_t set;
  int cores = sched_getaffinity(0, sizeof set, &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0)
    cores = std::min(cores, std::max(1, static_cast<int>(std::stod(quota) / period + 0.5)));
  return std::max(cores, 1);
}

int initial_threads() {
  auto count = environment_count("METALMOM_NUM_THREADS", max_threads);
  if (!count) count = foreign_environment_count("OMP_NUM_THREADS", max_threads);
  return count ? static_cast<int>(*count) : available_cores();
}

std::atomic<int> default_count{0};  // 0: nobody has set it

// The most grains of one part. A call can be interrupted between two parts, so a part must be
// short.
constexpr Index largest_part = 64;

thread_local int scoped_count = 0;
thread_local bool inside_worker = false;
std::atomic<void* (*)(Index, Index) noexcept> hook_begin{nullptr};
std::atomic<void (*)(void*) noexcept> hook_end{nullptr};

// One parallel_parts call. Parts are claimed from `next`, so a slow core takes fewer of them.
struct Job {
  Job(detail::Part p, void* c, Index n, PartSize s) : part(p), context(c), count(n), size(s) {}

  detail::Part part;
  void* context;
  Index count;
  const PartSize size;
  std::atomic<Index> next{0};
  std::atomic<int> active{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  std::mutex mutex;
  std::condition_variable done;

  void work() {
    const auto begin = hook_begin.load(std::memory_order_acquire);
    for (PartSize own = size;;) {
      guarded(check_interrupt);
      const Index step = own.step();
      const Index first = next.fetch_add(step, std::memory_order_relaxed);
      if (first >= count || failed.load(std::memory_order_relaxed)) return;
      const Index last = std::min(first + step, count);
      void* token = begin ? begin(first, last) : nullptr;
      guarded([&] { own.timed([&] { part(context, first, last); }); });
      if (token) hook_end.load(std::memory_order_acquire)(token);
    }
  }

  // Waits until the pool threads are done with the job. A signal wakes nobody here, so the caller
  // asks every `interrupt_interval` whether the call is to end.
  void wait_for_helpers(int withdrawn) {
    std::unique_lock lock(mutex);
    active -= withdrawn;
    const auto idle = [&] { return active == 0; };
    while (interruption && !done.wait_for(lock, interrupt_interval, idle)) {
      lock.unlock();
      guarded(check_interrupt);
      lock.lock();
    }
    done.wait(lock, idle);
  }

 private:
  // The first exception ends the job and is kept for the caller.
  template <class F>
  void guarded(F&& body) {
    try {
      body();
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
};

// Ends the work of a pool thread when its job has failed elsewhere.
class JobInterruption final : public Interruption {
 public:
  explicit JobInterruption(const Job& job) : job_(job) { interruption = this; }
  ~JobInterruption() { interruption = nullptr; }
  JobInterruption(const JobInterruption&) = delete;
  void look() override {
    if (job_.failed.load(std::memory_order_relaxed)) throw Interrupted{};
  }

 private:
  const Job& job_;
};

class Pool {
 public:
  // Runs `job` on the caller and up to `helpers` pool threads; returns when all parts are done.
  // Where the system refuses further threads, the existing ones do the work.
  void run(Job& job, int helpers) {
    {
      std::lock_guard lock(mutex_);
      while (std::ssize(threads_) < helpers && spawn()) continue;
      helpers = std::min(helpers, static_cast<int>(std::ssize(threads_)));
      leave_caller_its_core();
      // so that the loop below cannot throw half way
      queue_.reserve(queue_.size() + static_cast<std::size_t>(helpers));
      for (int i = 0; i < helpers; ++i) queue_.push_back(&job);
      job.active = helpers;
    }
    wake_.notify_all();
    inside_worker = true;
    job.work();
    inside_worker = false;
    // Entries that no pool thread has taken yet are removed: no parts are left for them.
    int withdrawn = 0;
    {
      std::lock_guard lock(mutex_);
      withdrawn = static_cast<int>(std::erase(queue_, &job));
    }
    job.wait_for_helpers(withdrawn);
  }

 private:
  // False where no thread could be made, because of a limit of the system or of its memory.
  bool spawn() {
    // before the thread exists: push_back must not throw once it runs
    threads_.reserve(threads_.size() + 1);
    Room room;
    if (!room.take()) return false;
    try {
      std::thread thread([this, room] {
        room.use();
        loop();
      });
      threads_.push_back(thread.native_handle());
      thread.detach();
    } catch (const std::exception&) {
      room.give_back();
      return false;
    }
    cores_ = {};
    return true;
  }

  // A thread wakes on the core where it last ran. If that is the core of the caller, which was
  // asleep too, the thread waits there for milliseconds while other cores are free. So pool threads
  // are kept off the caller's core, unless callers change cores, when no choice holds for long.
  void leave_caller_its_core() {
    const int core = sched_getcpu();
    const int before = std::exchange(callers_core_, core);
    if (before >= 0 && before != core) return;
    cpu_set_t cores;
    if (core < 0 || pthread_getaffinity_np(pthread_self(), sizeof cores, &cores) != 0) return;
    if (CPU_COUNT(&cores) <= std::ssize(threads_)) return;
    CPU_CLR(core, &cores);
    if (CPU_EQUAL(&cores, &cores_)) return;
    cores_ = cores;
    for (const auto thread : threads_) pthread_setaffinity_np(thread, sizeof cores, &cores);
  }

  [[noreturn]] void loop() {
    pthread_setname_np(pthread_self(), "metalmom worker");
    inside_worker = true;
    for (;;) {
      Job* job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return !queue_.empty(); });
        job = queue_.back();
        queue_.pop_back();
      }
      {
        const JobInterruption others(*job);
        job->work();
      }
      std::lock_guard lock(job->mutex);
      if (--job->active == 0) job->done.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job*> queue_;
  std::vector<std::thread::native_handle_type> threads_;
  int callers_core_ = -1;  // where the caller ran in the last call
  cpu_set_t cores_ = {};   // the cores that pool threads may use now
};

ForkLocal<Pool>& pool() {
  static auto* instance = new ForkLocal<Pool>;
  return *instance;
}

}  // namespace

int default_threads() {
  if (const int count = default_count.load(std::memory_order_relaxed); count > 0) return count;
  static const int initial = initial_threads();
  return initial;
}

void set_default_threads(int count) {
  default_count = count;
}

int thread_count() {
  return scoped_count > 0 ? scoped_count : default_threads();
}

int set_scoped_threads(int count) {
  return std::exchange(scoped_count, count);
}

void set_worker_hook(WorkerHook hook) {
  hook_end.store(hook.end, std::memory_order_release);
  hook_begin.store(hook.begin, std::memory_order_release);
}

void detail::parallel_parts(Index count, Index grain, void* context, Part part) {
  if (count <= 0) return;
  grain = std::max<Index>(grain, 1);
  const Index grains = ceil_div(count, grain);
  const int threads = inside_worker ? 1 : static_cast<int>(std::min<Index>(thread_count(), grains));
  if (threads == 1) {
    PartSize size(grain, largest_part);
    for (Index first = 0; first < count;) {
      check_interrupt();
      const Index last = std::min(first + size.step(), count);
      size.timed([&] { part(context, first, last); });
      first = last;
    }
    return;
  }
  // Four parts a thread: cores of unequal speed still finish together, and a part costs below 1 us.
  const Index most = std::clamp<Index>(grains / (4 * threads), 1, largest_part);
  Job job(part, context, count, PartSize(grain, most));
  pool().get().run(job, threads - 1);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace metalmom
