#include "io/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "io/own_time.hpp"

extern char** environ;

namespace metalmom::io {

namespace {

// A descriptor above the three standard ones: below, dup2 in the child could overwrite it before
// it is used (in a process that has closed its own standard streams).
Descriptor above_standard(Descriptor descriptor) {
  if (!descriptor || descriptor.get() > 2) return descriptor;
  return Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 3));
}

[[noreturn]] void fail(const std::string& name, int code) {
  throw AudioError(name + ": its decoder process fails: " + std::strerror(code));
}

struct Actions {
  posix_spawn_file_actions_t value;
  Actions() { posix_spawn_file_actions_init(&value); }
  ~Actions() { posix_spawn_file_actions_destroy(&value); }
  Actions(const Actions&) = delete;
};

// Python ignores SIGPIPE and may block signals in threads; the child starts with neither, so that
// it dies when nobody reads on.
struct Attributes {
  posix_spawnattr_t value;
  Attributes() {
    posix_spawnattr_init(&value);
    sigset_t defaults, blocked;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigemptyset(&blocked);
    posix_spawnattr_setsigdefault(&value, &defaults);
    posix_spawnattr_setsigmask(&value, &blocked);
    posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Attributes() { posix_spawnattr_destroy(&value); }
  Attributes(const Attributes&) = delete;
};

// What a decoder may take, whatever a file makes it do: address space far above what audio needs,
// messages, and no dump of memory. A limit that cannot be set is one that is lower already.
void limit(pid_t child) {
  const auto set = [child](auto resource, rlim_t most) {
    const rlimit limits{most, most};
    ::prlimit(child, resource, &limits, nullptr);
  };
  set(RLIMIT_AS, rlim_t{8} << 30);
  set(RLIMIT_FSIZE, rlim_t{64} << 20);  // its messages are the one file that it writes
  set(RLIMIT_CORE, 0);
}

}  // namespace

std::optional<Process> Process::start(const std::string& name,
                                      const std::vector<std::string>& arguments, int input,
                                      std::chrono::milliseconds patience) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(name, errno);
  Descriptor output = above_standard(Descriptor(ends[0]));
  Descriptor child_output = above_standard(Descriptor(ends[1]));
  // A file for standard error, not a second pipe: nobody has to empty it while samples flow.
  Descriptor log = above_standard(Descriptor(::memfd_create("decoder-errors", MFD_CLOEXEC)));
  Descriptor from = above_standard(Descriptor(::fcntl(input, F_DUPFD_CLOEXEC, 3)));
  if (!output || !child_output || !log || !from) fail(name, errno);

  Actions actions;
  posix_spawn_file_actions_adddup2(&actions.value, from.get(), 0);
  posix_spawn_file_actions_adddup2(&actions.value, child_output.get(), 1);
  posix_spawn_file_actions_adddup2(&actions.value, log.get(), 2);
  Attributes attributes;
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  Process process(name, std::move(output), std::move(log),
                  patience);  // before there is a child to lose
  pid_t& child = process.child_.id;
  const int code =
      ::posix_spawnp(&child, argv[0], &actions.value, &attributes.value, argv.data(), environ);
  if (code != 0) child = -1;
  if (code == ENOENT || code == EACCES || code == ENOTDIR) return std::nullopt;
  if (code != 0) fail(name, code);
  limit(child);
  return process;
}

Process::~Process() {
  if (child_.id < 0) return;
  output_.close();
  ::kill(child_.id, SIGKILL);
  while (::waitpid(child_.id, nullptr, 0) < 0 && errno == EINTR) continue;
}

template <class F>
void Process::wait_until(F&& progressed) const {
  const auto limit = std::min(patience_, interrupt_interval);
  std::optional<OwnTime> time;
  while (!progressed(limit)) {
    check_interrupt();
    if (!time)
      time.emplace(child_.id);
    else if (time->after(limit) >= patience_)
      throw AudioError(name_ + ": the decoder process gives nothing for " +
                       to_text(static_cast<double>(patience_.count()) / 1000) +
                       " s: " + errors(4000));
  }
}

std::size_t Process::read(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    pollfd ready{output_.get(), POLLIN, 0};
    wait_until([&](std::chrono::milliseconds limit) {
      return ::poll(&ready, 1, static_cast<int>(limit.count())) > 0;
    });
    const auto count = ::read(output_.get(), into.data() + done, into.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name_, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool Process::wait() {
  output_.close();  // nobody reads it any more: the child need not wait for that
  int status = 0;
  pid_t waited = 0;
  wait_until([&](std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    std::chrono::microseconds pause{50};
    while (true) {
      waited = ::waitpid(child_.id, &status, WNOHANG);
      if (waited != 0) return true;
      if (std::chrono::steady_clock::now() >= end) return false;
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, limit);
    }
  });
  child_.id = -1;
  // Where the process ignores SIGCHLD, the kernel reaps its children and tells nobody how they
  // ended: the log then decides.
  if (waited < 0) return errors().empty();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string Process::errors(std::size_t most) const {
  const auto text = [this](std::size_t offset, std::size_t count) {
    std::string read(count, '\0');
    const auto got = ::pread(log_.get(), read.data(), count, static_cast<off_t>(offset));
    read.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return read;
  };
  struct stat file {};
  ::fstat(log_.get(), &file);
  const auto size = static_cast<std::size_t>(file.st_size);
  if (size <= most) return text(0, size);
  std::string first = text(0, most / 2), last = text(size - most / 2, most / 2);
  first.resize(first.rfind('\n') + 1);
  last.erase(0, last.find('\n') + 1);
  return first + last;
}

}  // namespace metalmom::io
