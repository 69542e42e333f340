#include "io/own_time.hpp"

#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace metalmom::io {

namespace {

std::string folder_of(pid_t child) {
  return "/proc/" + std::to_string(child);
}

std::chrono::nanoseconds computed(pid_t child) {
  clockid_t clock;
  timespec time{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Bytes that it has read so far; always the same where the system does not tell.
long long bytes_read(pid_t child) {
  std::ifstream file(folder_of(child) + "/io");
  std::string name;
  long long count = 0;
  return file >> name >> count ? count : 0;
}

// Whether a thread of it runs, or would (R), or waits for a disk (D).
bool has_work(pid_t child) {
  std::error_code error;
  std::filesystem::directory_iterator thread(folder_of(child) + "/task", error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    std::ifstream file(thread->path() / "stat");
    std::string text;
    std::getline(file, text);
    // The name before the state may hold anything, a bracket too.
    const auto name_end = text.rfind(") ");
    if (name_end == text.npos || name_end + 2 >= text.size()) continue;
    const char state = text[name_end + 2];
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

}  // namespace

OwnTime::OwnTime(pid_t child)
    : child_{child}, computed_before_{computed(child)}, read_{bytes_read(child)} {}

std::chrono::nanoseconds OwnTime::after(std::chrono::nanoseconds waited) {
  const auto read = bytes_read(child_);
  if (std::exchange(read_, read) != read)
    slept_ = {};
  else if (!has_work(child_))
    slept_ += waited;
  return slept_ + (computed(child_) - computed_before_);
}

}  // namespace metalmom::io
