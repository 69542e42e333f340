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
#include "base/memory_limits.hpp"
#include "base/part_size.hpp"
#include "base/room.hpp"
#include "base/subnormals.hpp"

namespace metalmom {

namespace {

using detail::Parts;

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
std::atomic<void* (*)(Index, Index) noexcept> hook_begin{nullptr};
std::atomic<void (*)(void*) noexcept> hook_end{nullptr};

struct Job;

// The call of which this thread does a part; null where it does none.
constinit thread_local Job* current_job = nullptr;

// One parallel_parts call. Parts are claimed from `next`, so a slow core takes fewer of them.
struct Job {
  Job(detail::Part p, void* c, Index n, PartSize s, Parts k)
      : part(p), context(c), count(n), size(s), kind(k) {}

  const detail::Part part;
  void* const context;
  const Index count;
  const PartSize size;
  const Parts kind;
  const int threads = thread_count();
  const MemoryLimits limits = scoped_memory_limits();
  Job* const outer = current_job;  // the tasks, one of which made this call; null: an outermost one
  std::atomic<Index> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  // The lock of the pool guards these.
  int active = 0;            // entries that are queued or being worked on
  int places = threads - 1;  // pool threads that may still join; used in the outermost call alone
  std::condition_variable done;

  Job& outermost() { return outer ? *outer : *this; }
  bool has_failed() const { return failed.load(std::memory_order_relaxed); }

  void work() {
    const auto begin = hook_begin.load(std::memory_order_acquire);
    Job* const before = std::exchange(current_job, this);
    for (PartSize own = size;;) {
      guarded(check_interrupt);
      const Index step = own.step();
      const Index first = next.fetch_add(step, std::memory_order_relaxed);
      if (first >= count || has_failed()) break;
      const Index last = std::min(first + step, count);
      void* token = begin ? begin(first, last) : nullptr;
      guarded([&] { own.timed([&] { part(context, first, last); }); });
      if (token) hook_end.load(std::memory_order_acquire)(token);
    }
    current_job = before;
  }

  // The first exception ends the job and is kept for the caller.
  template <class F>
  void guarded(F&& body) {
    try {
      body();
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
};

// Ends the work of a helping thread once its job, or the tasks around it, have failed elsewhere.
// The caller keeps its own interruption while it helps with a task's loop: what that throws ends
// all tasks.
class JobInterruption final : public Interruption {
 public:
  explicit JobInterruption(Job& job) : job_(job), own_(std::exchange(interruption, this)) {}
  ~JobInterruption() { interruption = own_; }
  JobInterruption(const JobInterruption&) = delete;
  void look() override {
    if (own_) job_.outermost().guarded([&] { own_->look(); });
    if (job_.has_failed() || job_.outermost().has_failed()) throw Interrupted{};
  }

 private:
  Job& job_;
  Interruption* const own_;
};

class Pool {
 public:
  // Runs `job` on the caller and up to `helpers` pool threads; returns when all parts are done.
  // Where the system refuses further threads, the existing ones do the work.
  void run(Job& job, int helpers) {
    bool has_places = false;
    {
      std::lock_guard lock(mutex_);
      while (std::ssize(threads_) < helpers && spawn()) continue;
      helpers = std::min(helpers, static_cast<int>(std::ssize(threads_)));
      if (!job.outer) leave_caller_its_core();
      // so that the loop below cannot throw half way
      queue_.reserve(queue_.size() + static_cast<std::size_t>(helpers));
      for (int i = 0; i < helpers; ++i) queue_.push_back(&job);
      job.active = helpers;
      has_places = job.outermost().places > 0;
    }
    if (has_places) wake_.notify_all();
    if (job.outer) job.outer->done.notify_one();
    job.work();
    wait_for_helpers(job);
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
    const SubnormalsFlushed arithmetic;
    current_job = nullptr;  // touches what is local to this thread, while there is room for it
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      wake_.wait(lock, [&] { return (job = take([](const Job&) { return true; })) != nullptr; });
      help(*job, lock);
    }
  }

  // Takes an entry whose outermost call has a place out of the queue; null if there is none.
  template <class F>
  Job* take(F&& fits) {
    const auto at = std::find_if(queue_.rbegin(), queue_.rend(), [&](Job* job) {
      return job->outermost().places > 0 && fits(*job);
    });
    if (at == queue_.rend()) return nullptr;
    Job* const job = *at;
    queue_.erase(std::next(at).base());
    --job->outermost().places;
    return job;
  }

  // Does parts of an entry's job, without the lock.
  void help(Job& job, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    {
      const ThreadsScope threads(job.threads);
      const MemoryLimitsScope limited(job.limits);
      const JobInterruption others(job);
      job.work();
    }
    lock.lock();
    ++job.outermost().places;
    if (--job.active == 0) job.done.notify_one();
  }

  // Waits until the pool threads are done with the job, and meanwhile helps with the loops of its
  // tasks. A signal wakes nobody here, so the caller asks every `interrupt_interval` whether the
  // call is to end.
  void wait_for_helpers(Job& job) {
    std::unique_lock lock(mutex_);
    // Entries that no pool thread has taken yet are removed: no parts are left for them.
    job.active -= static_cast<int>(std::erase(queue_, &job));
    ++job.places;  // the caller's own
    while (job.active > 0) {
      if (Job* const inner = take([&](const Job& each) { return each.outer == &job; })) {
        help(*inner, lock);
      } else if (!interruption) {
        job.done.wait(lock);
      } else if (job.done.wait_for(lock, interrupt_interval); job.active > 0) {
        lock.unlock();
        job.guarded(check_interrupt);
        lock.lock();
      }
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

void detail::parallel_parts(Index count, Index grain, Parts kind, void* context, Part part) {
  if (count <= 0) return;
  grain = std::max<Index>(grain, 1);
  const Index grains = ceil_div(count, grain);
  const bool is_alone = current_job && (kind == Parts::tasks || current_job->kind == Parts::loop);
  const int threads = is_alone ? 1 : static_cast<int>(std::min<Index>(thread_count(), grains));
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
  const Index most =
      kind == Parts::tasks ? 1 : std::clamp<Index>(grains / (4 * threads), 1, largest_part);
  Job job(part, context, count, PartSize(grain, most), kind);
  pool().get().run(job, threads - 1);
  if (job.error) std::rethrow_exception(job.error);
}

}  // namespace metalmom
