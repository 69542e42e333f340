#include "realtime_guard.hpp"

#ifdef METALMOM_REALTIME_GUARD

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"

namespace {

constexpr int cannot_tell = 77;

// What this thread allocates and frees, and the locks it takes, while they are counted.
constinit thread_local long* counted = nullptr;
// Allocations of so many bytes fail, in all threads; and so does this one of the thread, from 1 on.
constinit std::atomic<std::size_t> failing_bytes{SIZE_MAX};
constinit thread_local long failing_allocation = 0;
constinit std::atomic<long> blocks{0};

void count() {
  if (counted) ++*counted;
}

// Whether an allocation is to fail.
bool fails(std::size_t size) {
  count();
  const bool is_due = failing_allocation > 0 && --failing_allocation == 0;
  if (!is_due && size < failing_bytes.load(std::memory_order_relaxed)) return false;
  errno = ENOMEM;
  return true;
}

// Notes a block of memory where there is one.
void* noted(void* memory) {
  if (memory) blocks.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

}  // namespace

// Of the whole test program: what the C library and C++ allocate by goes through here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  return fails(size) ? nullptr : noted(__libc_malloc(size));
}
void* calloc(std::size_t n, std::size_t size) {
  return fails(n * size) ? nullptr : noted(__libc_calloc(n, size));
}
void* realloc(void* old, std::size_t size) {
  if (fails(size)) return nullptr;
  if (!old) return noted(__libc_realloc(old, size));
  if (size == 0) blocks.fetch_sub(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(size) ? nullptr : noted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = fails(size) ? nullptr : noted(__libc_memalign(alignment, size));
  return *memory ? 0 : ENOMEM;
}
void free(void* memory) {
  if (memory) {
    count();
    blocks.fetch_sub(1, std::memory_order_relaxed);
  }
  __libc_free(memory);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto lock =
      reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  count();
  return lock(mutex);
}
}

namespace metalmom::test {

AllocationCounter::AllocationCounter() {
  counted = &seen_;
}
AllocationCounter::~AllocationCounter() {
  counted = nullptr;
}

NoMemory::NoMemory(std::size_t bytes) {
  failing_bytes = bytes;
}
NoMemory::~NoMemory() {
  failing_bytes = SIZE_MAX;
}

FailingAllocation::FailingAllocation(long number) {
  failing_allocation = number;
}
FailingAllocation::~FailingAllocation() {
  failing_allocation = 0;
}
bool FailingAllocation::has_failed() const {
  return failing_allocation == 0;
}

long blocks_in_use() {
  return blocks.load(std::memory_order_relaxed);
}

namespace {

// From here on the process is killed at any system call but exit. False where the system refuses
// to promise that.
bool forbid_system_calls() {
  const auto number = static_cast<unsigned>(offsetof(seccomp_data, nr));
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// How a child process ends that may make no system call while it runs the body.
int status_without_system(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbid_system_calls()) syscall(SYS_exit, cannot_tell);
    body();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

bool can_forbid_system_calls() {
  return WEXITSTATUS(status_without_system([] {})) != cannot_tell;
}

::testing::AssertionResult makes_no_system_call(const std::function<void()>& body) {
  const int status = status_without_system(body);
  if (WIFEXITED(status)) return ::testing::AssertionSuccess();
  // the signal of a forbidden call
  if (WTERMSIG(status) == SIGSYS) return ::testing::AssertionFailure() << "it made a system call";
  return ::testing::AssertionFailure() << "it crashed with signal " << WTERMSIG(status);
}

void expect_real_time(const std::function<void()>& first, const std::function<void()>& others) {
  first();
  EXPECT_TRUE(makes_no_system_call(others));
  const AllocationCounter counter;
  others();
  EXPECT_EQ(counter.seen(), 0);
}

namespace {

TEST(AllocationCounter, SeesWhatIsAllocatedFreedAndLocked) {
  const AllocationCounter counter;
  const long in_use = blocks_in_use();
  const std::vector<int> values(100, 1);
  Buffer<float> buffer(64);
  void* const memory = std::malloc(10);
  EXPECT_EQ(counter.seen(), 3);
  EXPECT_EQ(blocks_in_use(), in_use + 3);
  std::free(memory);
  EXPECT_EQ(blocks_in_use(), in_use + 2);
  EXPECT_EQ(counter.seen(), 4);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 100);
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  EXPECT_EQ(counter.seen(), 5);
}

// Nothing is optimised away.
bool finds(std::size_t bytes) {
  void* volatile memory = std::malloc(bytes);
  const bool found = memory;
  std::free(memory);
  return found;
}

TEST(NoMemory, IsFoundByThoseItIsFor) {
  bool few = false, many = true;
  {
    const NoMemory none(1000);
    few = finds(999);
    many = finds(1000);
  }
  EXPECT_TRUE(few);
  EXPECT_FALSE(many);
  const FailingAllocation second(2);
  EXPECT_TRUE(finds(1));
  EXPECT_FALSE(second.has_failed());
  EXPECT_FALSE(finds(1));
  EXPECT_TRUE(second.has_failed());
  EXPECT_TRUE(finds(1));
}

TEST(SystemCalls, AreSeen) {
  if (!can_forbid_system_calls()) GTEST_SKIP() << "the system filters no calls (seccomp)";
  EXPECT_TRUE(makes_no_system_call([] {}));
  EXPECT_FALSE(makes_no_system_call([] { getppid(); }));
  EXPECT_FALSE(makes_no_system_call([] { (void)!write(-1, "", 0); }));
  const std::string told = makes_no_system_call([] { __builtin_trap(); }).message();
  EXPECT_TRUE(told.starts_with("it crashed with signal"))
      << told;  // which one differs by processor
}

}  // namespace
}  // namespace metalmom::test

#endif
