// What callers set: defaults of the process, and what holds for one thread inside `with`.
//
// The engine reads a default and an override of the thread for each setting. Here is who has set
// them: a list of what was made the default, and a stack of the scopes that each thread is in. All
// of it is done with Python's lock, and by calls that no signal handler's exception can cut in two.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/memory_limits.hpp"
#include "dispatch/setting.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

// What is empty is as it is outside.
struct Settings {
  std::optional<int> threads;
  std::shared_ptr<const dispatch::Setting> backend;  // without its min_frames
  std::shared_ptr<const dispatch::MinFrames> min_frames;
  MemoryLimits memory;
  std::optional<std::size_t> pending;  // calls of `submit` that may wait or run
  py::object place;                    // of a thread alone: whom it works for, in a program

  void override_by(const Settings& inner);
  bool has_any_of(const Settings& other) const;
};

class Scope : public std::enable_shared_from_this<Scope> {
 public:
  Scope(std::string text, Settings settings);
  Scope(const Scope&) = delete;
  // A default that it has made stays, unless an exception ends it: then it never came to its
  // `with`. Threads that are in it are in it no longer (`refresh_settings`): nothing could leave
  // it.
  ~Scope();

  // Makes the settings the default of the process, until they are taken back.
  void make_default();
  // Lets the default be what it was, unless another was made since; what others have made stays.
  void take_back();

  // For the calling thread. A scope may be entered again and by several threads, and left in
  // another order than entered: of what is still entered the innermost holds.
  void enter();
  void leave();

  const Settings& settings() const { return settings_; }
  const std::string& text() const { return text_; }  // the call that made it
  std::string shown() const;

  // While a Python object dies: whether by an exception that drops what it has not come to use.
  static inline thread_local bool dies_by_exception = false;

 private:
  const std::string text_;
  const Settings settings_;
  std::size_t times_entered_ = 0;  // and not left, by all threads
};

// Brings what holds for this thread up to date: ends what scopes have set that ended meanwhile, in
// whichever thread, and tells the engine the defaults that it could not be told before, for want of
// memory. To be called before the engine works for this thread or tells what holds for it;
// `GilReleased` does.
void refresh_settings();

// What the calling thread's scopes say, and what calls from it may have pending.
Settings held_settings();
std::size_t pending_limit();

}  // namespace metalmom::bridge
