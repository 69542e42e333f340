#include "base/workers.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/interrupt.hpp"
#include "base/memory_limits.hpp"

namespace {
int pretended_core = -1;
}  // namespace

// Instead of the C library's: where the caller of a test computes is up to the test.
extern "C" int sched_getcpu() noexcept {
  unsigned core = 0;
  syscall(SYS_getcpu, &core, nullptr, nullptr);
  return pretended_core < 0 ? static_cast<int>(core) : pretended_core;
}

namespace metalmom {
namespace {

int cores_of_this_thread(cpu_set_t& cores) {
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

// The cores that the worker of a call of two threads may use.
cpu_set_t cores_of_worker() {
  const ThreadsScope two(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> known{false};
  cpu_set_t cores = {};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(8, 1, [&](Index, Index) {
    if (std::this_thread::get_id() != caller && !known) {
      cores_of_this_thread(cores);
      known = true;
    }
    while (!known && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_TRUE(known);
  return cores;
}

// Where the caller computes is no place for a worker as long as there is another.
TEST(Workers, LeaveTheCallerItsCore) {
  cpu_set_t all;
  const int n_cores = cores_of_this_thread(all);
  if (n_cores < 2) GTEST_SKIP() << "one core";
  cores_of_worker();
  const cpu_set_t cores = cores_of_worker();
  EXPECT_EQ(CPU_COUNT(&cores), n_cores - 1);
  cpu_set_t after;
  EXPECT_EQ(cores_of_this_thread(after), n_cores);
}

// Moving the workers costs a system call each, under the lock of all callers.
TEST(Workers, StayWhereTheyAreWhenCallersTakeTurns) {
  cpu_set_t all;
  if (cores_of_this_thread(all) < 2) GTEST_SKIP() << "one core";
  if (!CPU_ISSET(0, &all) || !CPU_ISSET(1, &all)) GTEST_SKIP() << "not the cores 0 and 1";
  for (const int core : {0, 0, 1, 0, 1, 0, 1}) {
    pretended_core = core;
    const cpu_set_t cores = cores_of_worker();
    if (core == 1) {
      EXPECT_FALSE(CPU_ISSET(0, &cores)) << "moved for a caller that came once";
    }
  }
  cores_of_worker();
  const cpu_set_t cores = cores_of_worker();
  EXPECT_FALSE(CPU_ISSET(1, &cores));
  pretended_core = -1;
}

TEST(Workers, HaveADefaultNumber) {
  const int initial = default_threads();
  EXPECT_GE(initial, 1);
  set_default_threads(3);
  EXPECT_EQ(default_threads(), 3);
  EXPECT_EQ(thread_count(), 3);
  set_default_threads(0);
  EXPECT_EQ(default_threads(), initial);
}

TEST(Workers, HaveTheLimitsOfTheirCaller) {
  const ThreadsScope threads(3);
  const MemoryLimitsScope limits({.host = 12345, .device = {}});
  std::atomic<int> others{0};
  parallel_for(3000, 1, [&](Index, Index) { others += kept_host_limit() != 12345; });
  EXPECT_EQ(others, 0);
}

// Ends the work of this thread at the `last` look.
class Impatience final : public Interruption {
 public:
  explicit Impatience(int last) : left_(last) { interruption = this; }
  ~Impatience() { interruption = nullptr; }
  void look() override {
    if (--left_ <= 0) throw std::runtime_error("enough");
  }
  int left() const { return left_; }

 private:
  int left_;
};

TEST(Workers, AreInterruptedBetweenParts) {
  for (const int threads : {1, 2}) {
    const ThreadsScope scope(threads);
    const auto caller = std::this_thread::get_id();
    const Impatience impatience(threads == 1 ? 3 : 1);
    std::atomic<Index> done{0};
    auto part = [&](Index first, Index last) {
      // Slower than the caller, which else might find all parts taken before it looks.
      if (std::this_thread::get_id() != caller)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done += last - first;
    };
    EXPECT_THROW(parallel_for(Index{1} << 20, 1, part), std::runtime_error);
    EXPECT_LT(done, Index{1} << 20);
  }
}

// Parts of a call whose grains take long are few grains, whatever was expected of them.
TEST(Workers, LookOftenWhereGrainsTakeLong) {
  for (const int threads : {1, 2}) {
    const ThreadsScope scope(threads);
    const Impatience patience(1000);
    const int before = patience.left();
    parallel_for(1024 * threads, 16, [](Index first, Index last) {
      std::this_thread::sleep_for(std::chrono::milliseconds(last - first) / 8);
    });
    // Two milliseconds a grain: 64 of them would be one part, on one thread or the other.
    EXPECT_GE(before - patience.left(), 8) << threads;
  }
}

// A caller that waits for its workers looks, and they stop in the middle of their parts.
TEST(Workers, AreInterruptedInTheirParts) {
  const ThreadsScope scope(2);
  const auto caller = std::this_thread::get_id();
  const Impatience impatience(3);
  EXPECT_THROW(parallel_for(2, 1,
                            [&](Index, Index) {
                              if (std::this_thread::get_id() == caller) return;
                              for (;;) check_interrupt();
                            }),
               std::runtime_error);
  std::atomic<Index> done{0};
  interruption = nullptr;
  parallel_for(100, 1, [&](Index first, Index last) { done += last - first; });
  EXPECT_EQ(done, 100);
}

// How many threads are in it, and were at most.
class Crowd {
 public:
  class Member {
   public:
    explicit Member(Crowd& crowd) : crowd_(crowd) {
      const int now = ++crowd_.now_;
      for (int most = crowd_.most_; most < now && !crowd_.most_.compare_exchange_weak(most, now);)
        continue;
    }
    ~Member() { --crowd_.now_; }
    Member(const Member&) = delete;

   private:
    Crowd& crowd_;
  };
  int most() const { return most_; }

 private:
  std::atomic<int> now_{0}, most_{0};
};

void sleep_briefly() {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

template <class F>
bool wait_until(F&& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_so() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return is_so();
}

// Two tasks on two threads. One begins a loop of `count` parts, the other one ends.
template <class F>
void run_loop_beside(bool on_caller, Index count, F&& body) {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> begun{0};
  parallel_tasks(2, [&](Index) {
    ++begun;
    EXPECT_TRUE(wait_until([&] { return begun == 2; }));
    if ((std::this_thread::get_id() == caller) == on_caller) parallel_for(count, 1, body);
  });
}

// Also where the pool has more threads than the call may use.
TEST(Workers, OfTasksAndTheirLoopsAreAsManyAsAsked) {
  constexpr Index n_tasks = 7, n_items = 300;
  for (const int threads : {8, 1, 2, 3, 4}) {
    const ThreadsScope scope(threads);
    std::vector<std::atomic<int>> done(n_tasks * n_items);
    std::vector<std::atomic<int>> begun(n_tasks);
    Crowd crowd;
    std::atomic<bool> told{true};
    parallel_tasks(n_tasks, [&](Index task) {
      ++begun[static_cast<std::size_t>(task)];
      for (int round = 0; round < 3; ++round)
        parallel_for(n_items / 3, 1, [&](Index first, Index last) {
          const Crowd::Member member(crowd);
          if (thread_count() != threads) told = false;
          for (Index i = first; i < last; ++i)
            ++done[static_cast<std::size_t>(task * n_items + round * (n_items / 3) + i)];
          sleep_briefly();
        });
    });
    for (const auto& each : begun) EXPECT_EQ(each, 1);
    for (const auto& each : done) EXPECT_EQ(each, 1);
    EXPECT_LE(crowd.most(), threads);
    EXPECT_TRUE(told);
  }
}

// A thread that finds no further task joins the loop of another, whichever of both is the caller.
TEST(Workers, JoinTheLoopsOfTasks) {
  const ThreadsScope scope(2);
  for (const bool on_caller : {true, false}) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    run_loop_beside(on_caller, 8, [&](Index, Index) {
      wait_until([&] {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        return threads.size() == 2;
      });
    });
    EXPECT_EQ(threads.size(), 2u) << on_caller;
  }
}

TEST(Workers, DoTasksWithinTasksOneAfterTheOther) {
  const ThreadsScope scope(3);
  std::atomic<bool> stayed{true};
  std::atomic<Index> done{0};
  const auto stays = [&](auto&& body) {
    return [&, body, own = std::this_thread::get_id()](auto... range) {
      if (std::this_thread::get_id() != own) stayed = false;
      body(range...);
    };
  };
  parallel_tasks(3, [&](Index) {
    parallel_tasks(3, stays([&](Index) {
                     parallel_for(10, 1, [&](Index, Index) {
                       parallel_for(10, 1,
                                    stays([&](Index first, Index last) { done += last - first; }));
                       parallel_tasks(10, stays([&](Index) { ++done; }));
                     });
                   }));
  });
  EXPECT_TRUE(stayed);
  EXPECT_GE(done, 3 * 3 * 20);
}

TEST(Workers, EndTasksAfterAnErrorThatIsNotCaught) {
  const ThreadsScope scope(2);
  for (const bool caught : {true, false}) {
    std::atomic<Index> done{0};
    const auto run = [&] {
      parallel_tasks(4, [&](Index task) {
        try {
          parallel_for(100, 1, [&](Index first, Index last) {
            if (task == 1 && last == 100) throw std::runtime_error("of a loop");
            done += last - first;
            sleep_briefly();
          });
        } catch (const std::runtime_error&) {
          if (!caught) throw;
        }
      });
    };
    if (caught) {
      EXPECT_NO_THROW(run());
      EXPECT_GE(done, 300);
    } else {
      EXPECT_THROW(run(), std::runtime_error);
    }
  }
}

// Only the caller's thread learns that the call is to end: in a task, in a loop that it joined, or
// while it waits.
TEST(Workers, AreInterruptedInTheLoopsOfTasks) {
  const ThreadsScope scope(2);
  for (const bool on_caller : {true, false})
    for (const Index count : {1, 2}) {
      const Impatience impatience(on_caller ? 1000 : 5);  // fewer, since it may have to wait
      EXPECT_THROW(run_loop_beside(on_caller, count,
                                   [](Index, Index) {
                                     for (;;) check_interrupt();
                                   }),
                   std::runtime_error);
    }
  interruption = nullptr;
  std::atomic<Index> done{0};
  parallel_tasks(10, [&](Index) { ++done; });
  EXPECT_EQ(done, 10);
}

}  // namespace
}  // namespace metalmom
