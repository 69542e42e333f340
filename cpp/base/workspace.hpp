// Working memory of a call. `Lent<T> lanes(n)` is memory for n values until the end of its scope,
// aligned to 64 bytes and uninitialised, taken from an arena as a stack's memory is: the first one
// of a thread takes an arena from the process's pool, the last one gives it back. So the steady
// state of any loop allocates nothing, two calls never share memory, and what no call uses can be
// freed.
#pragma once

#include <cstddef>

#include "base/view.hpp"

namespace metalmom {

namespace detail {

// How much of an arena was in use before a piece was taken: up to `used` of a chunk, `total` bytes
// in all.
struct WorkspaceMark {
  std::size_t chunk = 0, used = 0, total = 0;
};
void* take_workspace(std::size_t bytes, WorkspaceMark& mark);
void give_workspace_back(WorkspaceMark mark) noexcept;

}  // namespace detail

// Must be destroyed in the reverse order of construction, in the thread that made it: keep it in a
// scope. A failed allocation throws std::bad_alloc.
template <class T>
class Lent {
 public:
  explicit Lent(Index n)
      : data_(static_cast<T*>(
            detail::take_workspace(static_cast<std::size_t>(n) * sizeof(T), mark_))) {}
  ~Lent() { detail::give_workspace_back(mark_); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  T* data() const { return data_; }
  operator T*() const { return data_; }

 private:
  detail::WorkspaceMark mark_;
  T* data_;
};

// Frees the arenas that no call uses; returns their bytes.
std::size_t release_workspaces();

// What arenas keep between calls, all together: at most kept_host_limit() of
// base/memory_limits.hpp.
std::size_t kept_workspace_bytes();

}  // namespace metalmom
