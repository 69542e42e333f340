// Addresses held free for a thread that begins: what is local to it is allocated when it touches it
// first, and glibc ends the process where that fails.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <exception>

namespace metalmom {

class Room {
 public:
  // Takes the addresses, on the thread that begins another.
  bool take() {
    place_ = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return place_ != MAP_FAILED;
  }

  void give_back() const { ::munmap(place_, bytes); }

  // The first thing that the new thread does.
  void use() const {
    give_back();
    (void)std::uncaught_exceptions();  // touches what the first exception of a thread needs
  }

 private:
  static constexpr std::size_t bytes = std::size_t{1} << 18;

  void* place_ = nullptr;
};

}  // namespace metalmom
