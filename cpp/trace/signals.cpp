#include "trace/signals.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>
#include <system_error>

#include "base/clock.hpp"

namespace metalmom::trace {

namespace {

std::array<struct sigaction, NSIG> before;
std::atomic<int> read_end{-1}, write_end{-1};

// Nanoseconds between late blocks that are told of, and when the next one may be.
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> late_interval{0}, next_late{never};

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  write_to_pipe(number);
  const struct sigaction& other = before[static_cast<std::size_t>(number)];
  if (other.sa_flags & SA_SIGINFO) {
    other.sa_sigaction(number, info, context);
  } else if (is_function(other)) {
    other.sa_handler(number);
  }
  errno = saved;
}

bool is_own(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_signal;
}

// A child would write to the pipe of its parent.
void forget_pipe() {
  if (read_end < 0) return;
  close(read_end.exchange(-1));
  close(write_end.exchange(-1));
}

}  // namespace

int signal_pipe() {
  static const int error = pthread_atfork(nullptr, nullptr, forget_pipe);
  if (error) throw std::system_error(error, std::generic_category());
  if (read_end < 0) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    read_end = ends[0];
    write_end = ends[1];
  }
  return read_end;
}

void write_to_pipe(int number) noexcept {
  const auto byte = static_cast<unsigned char>(number);
  const int to = write_end.load();
  // a full pipe wakes its reader anyway
  if (to >= 0) [[maybe_unused]]
    const auto written = write(to, &byte, 1);
}

void tell_of_late_blocks_every(double seconds) noexcept {
  const bool ever = std::isfinite(seconds);
  late_interval = ever ? static_cast<std::int64_t>(1e9 * seconds) : 0;
  next_late = ever ? 0 : never;
}

void tell_of_late_block() noexcept {
  const std::int64_t now = monotonic_ns();
  std::int64_t next = next_late;
  if (now >= next && next_late.compare_exchange_strong(next, now + late_interval))
    write_to_pipe(late_block);
}

bool listen_to(int number) noexcept {
  struct sigaction action {};
  if (number <= 0 || number >= NSIG || sigaction(number, nullptr, &action) != 0) return false;
  if (is_own(action)) return true;
  before[static_cast<std::size_t>(number)] = action;
  // A handler may count on the calls of the system that it interrupts.
  const int restart = is_function(action) ? action.sa_flags & SA_RESTART : SA_RESTART;
  action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | restart;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, nullptr) == 0;
}

void stop_listening_to(int number) noexcept {
  struct sigaction now {};
  if (number > 0 && number < NSIG && sigaction(number, nullptr, &now) == 0 && is_own(now))
    sigaction(number, &before[static_cast<std::size_t>(number)], nullptr);
}

}  // namespace metalmom::trace
