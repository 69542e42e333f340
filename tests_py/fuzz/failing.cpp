// Makes one call of the system fail, or that one and all after it: preloaded into the processes of
// `failures`.
//
// The calls of a kind are counted from `failing_arm` on. Memory is counted where the engine and the
// bridge ask for it, whatever its size: what CPython asks for is CPython's matter, and so is what
// pybind11 notes of an object that it makes (`is_pybind11s`). Who asks is found by the table of
// symbols of their library.

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>

namespace {

enum Kind { nothing, memory, writing, syncing, renaming, opening, thread };

std::atomic<int> armed{nothing};
std::atomic<long> counted{0}, first{0};
std::atomic<bool> all_after{false};
std::atomic<long> live{0};  // blocks of memory

// The functions of the library of the engine and the bridge, by address.
struct Function {
  std::uintptr_t begin, end;
  const char* name;  // mangled
};
Function* functions = nullptr;
std::size_t n_functions = 0;
std::uintptr_t library_begin = 0, library_end = 0;

template <class T>
const T* at(const char* file, std::size_t offset) {
  return reinterpret_cast<const T*>(file + offset);
}

void read_functions(const char* path) {
  const int descriptor =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  struct stat about {};
  if (descriptor < 0 || fstat(descriptor, &about) != 0) return;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return;
  const auto* const file = static_cast<const char*>(mapped);
  const auto* const header = at<ElfW(Ehdr)>(file, 0);
  const auto* const sections = at<ElfW(Shdr)>(file, header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = at<ElfW(Sym)>(file, sections[i].sh_offset);
    const char* const names = file + sections[sections[i].sh_link].sh_offset;
    const std::size_t count = sections[i].sh_size / sizeof *symbols;
    functions = static_cast<Function*>(malloc(count * sizeof(Function)));
    for (const auto* each = symbols; each != symbols + count; ++each) {
      if ((each->st_info & 15) != STT_FUNC || !each->st_size) continue;
      const std::uintptr_t begin = library_begin + each->st_value;
      functions[n_functions++] = {begin, begin + each->st_size, names + each->st_name};
    }
  }
  std::sort(functions, functions + n_functions,
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
}

int find_library(dl_phdr_info* info, std::size_t, void*) {
  if (!strstr(info->dlpi_name, "/_native.")) return 0;
  library_begin = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_LOAD)
      library_end = std::max(library_end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
  read_functions(info->dlpi_name);
  return 1;
}

const char* function_at(std::uintptr_t address) {
  const Function* const found =
      std::upper_bound(functions, functions + n_functions, address,
                       [](std::uintptr_t a, const Function& f) { return a < f.begin; });
  return found != functions && address < found[-1].end ? found[-1].name : "";
}

bool begins_with_one_of(const char* function, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char* each) { return strncmp(function, each, strlen(each)) == 0; });
}

// pybind11's own notes of an object that is made. Where there is no memory for them, pybind11 ends
// the process (it throws through CPython), or frees the object twice.
bool is_pybind11s(const char* function) {
  return begins_with_one_of(function, {"_ZN8pybind11"}) &&
         (strstr(function, "13init_instance") || strstr(function, "22register_instance_impl") ||
          strstr(function, "13all_type_info"));
}

// Whether the function that asks, which the library of C++ and templates of it ask for, is one of
// the engine's or the bridge's.
[[gnu::noinline]] bool is_engines() {
  void* frames[24];
  const int n = backtrace(frames, 24);
  for (int i = 0; i < n; ++i) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(frames[i]) - 1;
    if (address < library_begin || address >= library_end) {
      Dl_info info;
      const bool passes_on = dladdr(frames[i], &info) && (strstr(info.dli_fname, "libstdc++") ||
                                                          strstr(info.dli_fname, "failing.so"));
      if (passes_on) continue;
      return false;
    }
    const char* const function = function_at(address);
    if (!begins_with_one_of(function, {"_ZSt", "_ZNSt", "_ZNKSt"})) return !is_pybind11s(function);
  }
  return false;
}

// Of the last refusal, for a fault's report.
void* refused[24];
int n_refused = 0;

bool fails(Kind kind) {
  if (armed.load(std::memory_order_relaxed) != kind) return false;
  const long number = ++counted;
  const long at = first.load();
  if (at <= 0 || (all_after.load() ? number < at : number != at)) return false;
  if (number == at) n_refused = backtrace(refused, 24);
  return true;
}

bool memory_fails() {
  return armed.load(std::memory_order_relaxed) == memory && n_functions && is_engines() &&
         fails(memory);
}

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void* give(std::size_t size, std::size_t alignment) {
  if (memory_fails()) return nullptr;
  ++live;
  if (!size) size = 1;
  if (alignment <= alignof(std::max_align_t)) return malloc(size);
  void* place = nullptr;
  return posix_memalign(&place, alignment, size) ? nullptr : place;
}

void* give_or_throw(std::size_t size, std::size_t alignment) {
  if (void* place = give(size, alignment)) return place;
  throw std::bad_alloc();
}

void take_back(void* place) {
  if (!place) return;
  --live;
  free(place);
}

bool is_file(int descriptor) {
  struct stat about {};
  return descriptor > 2 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
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

extern "C" {

void failing_arm(int kind, long number, int and_all_after) {
  armed = nothing;
  if (!n_functions) dl_iterate_phdr(find_library, nullptr);
  counted = 0;
  n_refused = 0;
  first = number;
  all_after = and_all_after != 0;
  armed = kind;
}

long failing_disarm() {
  armed = nothing;
  return counted;
}

long failing_live() {
  return live;
}

// The functions of the engine's library that have led to the refusal, the innermost first.
void failing_where(char* text, std::size_t size) {
  *text = 0;
  for (int i = 0; i < n_refused; ++i) {
    const char* const function = function_at(reinterpret_cast<std::uintptr_t>(refused[i]) - 1);
    if (!*function) continue;
    int status;
    char* const clear = abi::__cxa_demangle(function, nullptr, nullptr, &status);
    const std::size_t used = strlen(text);
    snprintf(text + used, size - used, "%.100s; ", clear ? clear : function);
    free(clear);
  }
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  static const auto real = next(&aligned_alloc, "aligned_alloc");
  if (memory_fails()) return errno = ENOMEM, nullptr;
  return real(alignment, size);
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  static const auto real = next(&write, "write");
  if (is_file(descriptor) && fails(writing)) return errno = ENOSPC, -1;
  return real(descriptor, data, size);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto real = next(&writev, "writev");
  if (is_file(descriptor) && fails(writing)) return errno = ENOSPC, -1;
  return real(descriptor, parts, count);
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

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static const auto real = next(&renameat, "renameat");
  if (fails(renaming)) return errno = EIO, -1;
  return real(from_folder, from, to_folder, to);
}

FILE* fopen64(const char* path, const char* mode) {
  static const auto real = next(&fopen64, "fopen64");
  if (fails(opening)) return errno = EMFILE, nullptr;
  return real(path, mode);
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
  return give_or_throw(size, 1);
}
void* operator new[](std::size_t size) {
  return give_or_throw(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return give_or_throw(size, std::size_t(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return give_or_throw(size, std::size_t(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return give(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return give(size, 1);
}
void operator delete(void* place) noexcept {
  take_back(place);
}
void operator delete[](void* place) noexcept {
  take_back(place);
}
void operator delete(void* place, std::size_t) noexcept {
  take_back(place);
}
void operator delete[](void* place, std::size_t) noexcept {
  take_back(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  take_back(place);
}
void operator delete[](void* place, std::align_val_t) noexcept {
  take_back(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  take_back(place);
}
void operator delete[](void* place, std::size_t, std::align_val_t) noexcept {
  take_back(place);
}
