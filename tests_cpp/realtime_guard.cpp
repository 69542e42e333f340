#include "realtime_guard.hpp"

#ifdef METALMOM_REALTIME_GUARD

#include <dlfcn.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/buffer.hpp"

namespace {

// Allocations, and locks taken, of this thread while a guard lives.
constinit thread_local long* counted = nullptr;

void count() {
  if (counted) ++*counted;
}

}  // namespace

// Of the whole test program: what the C library and C++ allocate by goes through here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
  count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto lock =
      reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  count();
  return lock(mutex);
}
}

namespace metalmom::test {

Guard::Guard() {
  counted = &seen_;
}
Guard::~Guard() {
  counted = nullptr;
}

// Whether a body makes no system call: a child that may make none but to exit does it, and would be
// killed.
::testing::AssertionResult asks_nothing(const std::function<void()>& body) {
  constexpr int cannot_tell = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) syscall(SYS_exit, cannot_tell);
    body();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == cannot_tell))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "the system was asked for something";
}

void expect_real_time(const std::function<void()>& first, const std::function<void()>& others) {
  first();
  EXPECT_TRUE(asks_nothing(others));
  const Guard guard;
  others();
  EXPECT_EQ(guard.seen(), 0);
}

namespace {

TEST(Guard, SeesAllocations) {
  const Guard guard;
  const std::vector<int> values(100, 1);
  Buffer<float> buffer(64);
  void* const memory = std::malloc(10);
  std::free(memory);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 100);
  EXPECT_GE(guard.seen(), 3);
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  EXPECT_GE(guard.seen(), 4);
  EXPECT_FALSE(asks_nothing([] { getppid(); }));
}

}  // namespace
}  // namespace metalmom::test

#endif
