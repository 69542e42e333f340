#include "base/workers.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/interrupt.hpp"

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

}  // namespace
}  // namespace metalmom
