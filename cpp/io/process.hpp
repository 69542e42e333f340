// A child process whose standard output is read. No shell: the arguments are a vector. Waiting for
// it can be interrupted, and ends in an AudioError when it makes no progress (a child that runs out
// of memory may hang in its own clean-up).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace metalmom::io {

class Process {
 public:
  // How long the child may compute or sleep (OwnTime) without any output.
  static constexpr std::chrono::milliseconds default_patience{60'000};

  // Empty where no such program is on the PATH. Throws AudioError where it cannot be started.
  // `name` is what it decodes, for errors.
  static std::optional<Process> start(const std::string& name,
                                      const std::vector<std::string>& arguments, int input,
                                      std::chrono::milliseconds patience = default_patience);

  Process(Process&&) = default;
  Process& operator=(Process&&) = delete;
  // Kills and reaps the child if `wait` did not.
  ~Process();

  // Bytes of the child's standard output; fewer than asked for only at its end.
  std::size_t read(std::span<std::byte> into);
  // Waits for the child to end, whose further output is lost. Returns whether it succeeded.
  bool wait();
  // What it wrote to standard error: of more than `most` characters the first lines and the last.
  std::string errors(std::size_t most = std::size_t{1} << 20) const;

 private:
  Process(std::string name, Descriptor output, Descriptor log, std::chrono::milliseconds patience)
      : name_(std::move(name)),
        output_(std::move(output)),
        log_(std::move(log)),
        patience_(patience) {}

  // Calls `progressed(limit)`, which waits for at most `limit`, until it returns true.
  template <class F>
  void wait_until(F&& progressed) const;

  struct Child {
    pid_t id = -1;
    Child() = default;
    Child(Child&& other) noexcept : id(std::exchange(other.id, -1)) {}
  };
  std::string name_;
  Child child_;
  Descriptor output_, log_;
  std::chrono::milliseconds patience_;
};

}  // namespace metalmom::io
