/* What Debian 12's headers and libstdc++ call and glibc 2.28 does not have: linked into the module of a wheel, and
 * seen by it alone. What glibc has in an older version is linked in that version, by the stub libraries. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

/* glibc 2.32. shared_ptr counts without atomic instructions where it is true. */
char __libc_single_threaded = 0;

/* glibc 2.30. */
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* glibc 2.30. Older condition variables know the wall clock: if somebody sets that clock meanwhile, the wait ends
 * sooner or later by as much. */
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline) {
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  wall.tv_sec += deadline->tv_sec - now.tv_sec;
  wall.tv_nsec += deadline->tv_nsec - now.tv_nsec;
  if (wall.tv_nsec < 0) {
    wall.tv_nsec += 1000000000;
    --wall.tv_sec;
  } else if (wall.tv_nsec >= 1000000000) {
    wall.tv_nsec -= 1000000000;
    ++wall.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &wall);
}

/* glibc 2.36. std::random_device. */
uint32_t arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

#pragma GCC visibility pop
