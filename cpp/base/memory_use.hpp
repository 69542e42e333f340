// Working memory of calls, now and at most: arenas of workspaces, and powers that wait for a later
// wave.
#pragma once

#include <cstddef>

namespace metalmom {

// So many bytes were taken, or given back where they are negative.
void note_memory(std::ptrdiff_t bytes) noexcept;

// The most that there was since the last restart beyond what there was then.
std::ptrdiff_t memory_peak() noexcept;
void restart_memory_peak() noexcept;

// Bytes that are in use as long as this.
class NotedMemory {
 public:
  explicit NotedMemory(std::size_t bytes) : bytes_(static_cast<std::ptrdiff_t>(bytes)) {
    note_memory(bytes_);
  }
  ~NotedMemory() { note_memory(-bytes_); }
  NotedMemory(const NotedMemory&) = delete;

 private:
  const std::ptrdiff_t bytes_;
};

}  // namespace metalmom
