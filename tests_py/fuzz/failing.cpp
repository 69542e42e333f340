// Makes one call of the system fail, or that one and all after it: preloaded into the processes of
// `failures`.
//
// The calls of a kind are counted from `failing_arm` on. Memory is counted where the engine, or the
// library of C++ for it, asks for it: what CPython asks for is CPython's matter.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

enum Kind { nothing, memory, writing, syncing, renaming, opening, thread };

// pybind11 ends the process where it has no memory for its own notes of an object, which are
// smaller.
constexpr std::size_t smallest = 256;

std::atomic<int> armed{nothing};
std::atomic<long> counted{0}, first{0};
std::atomic<bool> all_after{false};
struct Range {
  std::uintptr_t begin, end;
};
Range ranges[16];
int n_ranges = 0;

int add_range(dl_phdr_info* info, std::size_t, void*) {
  const bool is_engines =
      strstr(info->dlpi_name, "/_native.") || strstr(info->dlpi_name, "libstdc++");
  for (int i = 0; is_engines && i < info->dlpi_phnum && n_ranges < 16; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X))
      ranges[n_ranges++] = {info->dlpi_addr + part.p_vaddr,
                            info->dlpi_addr + part.p_vaddr + part.p_memsz};
  }
  return 0;
}

bool is_engines(void* caller) {
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  for (int i = 0; i < n_ranges; ++i)
    if (at >= ranges[i].begin && at < ranges[i].end) return true;
  return false;
}

bool fails(Kind kind) {
  if (armed.load(std::memory_order_relaxed) != kind) return false;
  const long number = ++counted;
  const long at = first.load();
  return at > 0 && (all_after.load() ? number >= at : number == at);
}

bool memory_fails(std::size_t size, void* caller) {
  return armed.load(std::memory_order_relaxed) == memory && size >= smallest &&
         is_engines(caller) && fails(memory);
}

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void* give(std::size_t size, std::size_t alignment, void* caller) {
  if (memory_fails(size, caller)) return nullptr;
  if (!size) size = 1;
  if (alignment <= alignof(std::max_align_t)) return malloc(size);
  void* place = nullptr;
  return posix_memalign(&place, alignment, size) ? nullptr : place;
}

void* give_or_throw(std::size_t size, std::size_t alignment, void* caller) {
  if (void* place = give(size, alignment, caller)) return place;
  throw std::bad_alloc();
}

using Open = int(const char*, int, ...);

// Only what makes a file has a mode.
int opened(Open* real, const char* path, int flags, va_list more) {
  const bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
  const int mode = makes ? va_arg(more, int) : 0;
  if (fails(opening)) return errno = EMFILE, -1;
  return real(path, flags, mode);
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void failing_arm(int kind, long number, int and_all_after) {
  armed = nothing;
  n_ranges = 0;
  dl_iterate_phdr(add_range, nullptr);
  counted = 0;
  first = number;
  all_after = and_all_after != 0;
  armed = kind;
}

long failing_disarm() {
  armed = nothing;
  return counted;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  static const auto real = next(&aligned_alloc, "aligned_alloc");
  if (memory_fails(size, CALLER)) return errno = ENOMEM, nullptr;
  return real(alignment, size);
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  static const auto real = next(&write, "write");
  if (descriptor > 2 && fails(writing)) return errno = ENOSPC, -1;
  return real(descriptor, data, size);
}

ssize_t pwrite64(int descriptor, const void* data, std::size_t size, off64_t at) {
  static const auto real = next(&pwrite64, "pwrite64");
  if (fails(writing)) return errno = ENOSPC, -1;
  return real(descriptor, data, size, at);
}

int fsync(int descriptor) {
  static const auto real = next(&fsync, "fsync");
  if (fails(syncing)) return errno = EIO, -1;
  return real(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto real = next(&rename, "rename");
  if (fails(renaming)) return errno = EIO, -1;
  return real(from, to);
}

int open64(const char* path, int flags, ...) {
  static const auto real = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "open64"));
  va_list more;
  va_start(more, flags);
  const int result = opened(real, path, flags, more);
  va_end(more);
  return result;
}

int open(const char* path, int flags, ...) {
  static const auto real = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "open"));
  va_list more;
  va_start(more, flags);
  const int result = opened(real, path, flags, more);
  va_end(more);
  return result;
}

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* given) {
  static const auto real = next(&pthread_create, "pthread_create");
  if (fails(thread)) return EAGAIN;
  return real(made, attributes, run, given);
}

}  // extern "C"

void* operator new(std::size_t size) {
  return give_or_throw(size, 1, CALLER);
}
void* operator new[](std::size_t size) {
  return give_or_throw(size, 1, CALLER);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return give_or_throw(size, std::size_t(alignment), CALLER);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return give_or_throw(size, std::size_t(alignment), CALLER);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return give(size, 1, CALLER);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return give(size, 1, CALLER);
}
void operator delete(void* place) noexcept {
  free(place);
}
void operator delete[](void* place) noexcept {
  free(place);
}
void operator delete(void* place, std::size_t) noexcept {
  free(place);
}
void operator delete[](void* place, std::size_t) noexcept {
  free(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  free(place);
}
void operator delete[](void* place, std::align_val_t) noexcept {
  free(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  free(place);
}
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept {
  free(place);
}
