// A child process whose standard output is read. No shell: the arguments are a vector.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/descriptor.hpp"

namespace metalmom::io {

class Process {
 public:
  // Empty where no such program is on the PATH. Throws AudioError where it cannot be started.
  static std::optional<Process> start(const std::vector<std::string>& arguments, int input);

  Process(Process&&) = default;
  Process& operator=(Process&&) = delete;
  // Kills and reaps the child if `wait` did not.
  ~Process();

  // Bytes of the child's standard output; fewer than asked for only at its end.
  std::size_t read(std::span<std::byte> into);
  // Waits for the end: whether the child succeeded.
  bool wait();
  // What it wrote to standard error, at most a few thousand characters.
  std::string errors() const;

 private:
  Process(pid_t child, Descriptor output, Descriptor log)
      : child_{child}, output_(std::move(output)), log_(std::move(log)) {}

  struct Child {
    pid_t id = -1;
    Child(pid_t child) : id(child) {}
    Child(Child&& other) noexcept : id(std::exchange(other.id, -1)) {}
  };
  Child child_;
  Descriptor output_, log_;
};

}  // namespace metalmom::io
