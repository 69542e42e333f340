// The interpreter's lock. A thread that waits for it while the interpreter ends does not get it:
// Python before 3.14 then ends the thread by unwinding its stack (pthread_exit), which would run
// destructors of Python objects without the lock and terminates the process at the first noexcept
// one. Here such a thread stops where it is, as from 3.14 on, and ends with the process.
#pragma once

#include <pybind11/pybind11.h>

#include <cxxabi.h>

#include <chrono>
#include <utility>

#include "base/interrupt.hpp"
#include "base/subnormals.hpp"

namespace metalmom::bridge {

[[noreturn]] void stop_this_thread();

// Called once, when the module is imported.
void find_main_thread();

// Calls `body`, which runs Python code or NumPy's (both let the lock go now and then).
template <class F>
decltype(auto) bear_exit(F&& body) {
#ifdef __GLIBCXX__
  try {
    return std::forward<F>(body)();
  } catch (const abi::__forced_unwind&) {
    stop_this_thread();
  }
#else
  return std::forward<F>(body)();
#endif
}

// Lets the lock go, for work of the engine with the settings that hold for this thread. Meanwhile
// the main thread looks for signals between units of work, so that Ctrl-C ends a call that lasts.
class GilReleased final : private Interruption {
 public:
  GilReleased();
  ~GilReleased();
  GilReleased(const GilReleased&) = delete;

 private:
  void look() override;

  const SubnormalsFlushed arithmetic_;
  PyThreadState* state_;
  Interruption* const outer_;
  std::chrono::steady_clock::time_point next_look_;
};

// For tests: the look that comes as the `number`th finds SIGINT, 0: none does. Returns how many
// looks were still to come until the one said before.
int interrupt_at_look(int number);

// Takes the lock, on any thread, whether or not it holds it already, for Python's code.
class GilTaken {
 public:
  GilTaken();
  ~GilTaken();
  GilTaken(const GilTaken&) = delete;

 private:
  const SubnormalsKept arithmetic_;
  PyGILState_STATE state_;
  Interruption* const outer_;
};

}  // namespace metalmom::bridge
