#include "bridge/gil.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "bridge/scopes.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

void take(PyThreadState* state) {
  bear_exit([state] { PyEval_RestoreThread(state); });
}

// Python runs signal handlers on this thread alone.
unsigned long main_thread = 0;

std::atomic<int> looks_to_interrupt{0};

}  // namespace

void find_main_thread() {
  main_thread =
      py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  // A forked child has one thread: the one that forked, whichever it was.
  pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
}

void stop_this_thread() {
  for (;;) ::pause();
}

GilReleased::GilReleased() : outer_(interruption) {
  refresh_settings();
  state_ = PyEval_SaveThread();
  if (PyThread_get_thread_ident() != main_thread) return;
  next_look_ = std::chrono::steady_clock::now() + interrupt_interval;
  interruption = this;
}

GilReleased::~GilReleased() {
  interruption = outer_;
  take(state_);
}

int interrupt_at_look(int number) {
  return looks_to_interrupt.exchange(number);
}

void GilReleased::look() {
  const bool is_ordered = looks_to_interrupt.load(std::memory_order_relaxed) > 0;
  if (is_ordered && --looks_to_interrupt == 0) {
    std::raise(SIGINT);
    next_look_ = {};
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  const GilTaken locked;
  const bool raised = PyErr_CheckSignals() != 0;
  next_look_ = std::chrono::steady_clock::now() + interrupt_interval;
  if (raised) throw py::error_already_set();
}

GilTaken::GilTaken() : outer_(std::exchange(interruption, nullptr)) {
  bear_exit([this] { state_ = PyGILState_Ensure(); });
}

GilTaken::~GilTaken() {
  PyGILState_Release(state_);
  interruption = outer_;
}

}  // namespace metalmom::bridge
