// Calls that threads have handed to workers: for each thread that submits a queue, which a thread
// of Python works off. Taking a place, queueing the call and beginning the worker is one call from
// Python, which no exception of a signal handler can cut in two; and the mutex is never held while
// Python runs, so that a signal handler may submit, too.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <memory>
#include <string_view>

#include "base/fields.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

struct Office;
struct Queue;

// The place of one call among those that may wait or run.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  ~Place() { give_back(); }

  // Waits for room, at most `most` of them; without `wait`, false where there is none. Throws where
  // no more calls are taken.
  bool take(Office& office, std::size_t most, bool wait);
  // Once: what is given back already is nobody's.
  void give_back();

 private:
  Office* office_ = nullptr;
};

enum class Handed { over, no_thread, no_room };

// Queues a call of this thread's, behind what it has submitted before. `begin` is called with a
// Worker in a new thread if the queue has none. Nothing is queued where no thread can be made, and
// where there is no room and the caller does not `wait` for it.
Handed hand_over(py::object call, const std::shared_ptr<Place>& place, const py::object& begin,
                 bool wait);

// The side of a queue that its worker has, which is gone with it.
class Worker {
 public:
  explicit Worker(std::shared_ptr<Queue> queue);
  Worker(const Worker&) = delete;
  ~Worker();

  // Waits for the next call, and gives the place of the one before back. None: there is none any
  // more, since the thread that submits has ended, or the process is ending.
  py::object take();

 private:
  void leave();  // with the office's mutex

  const std::shared_ptr<Queue> queue_;
  std::shared_ptr<Place> running_;
  bool has_left_ = false;
};

// The calls that have not begun.
py::list waiting_calls();

// From here on no calls are taken. Waits until all that were have been made.
void finish_submissions();

}  // namespace metalmom::bridge

namespace metalmom {

template <>
struct EnumNames<bridge::Handed> {
  static constexpr std::array<std::string_view, 3> value = {"over", "no thread", "no room"};
};

}  // namespace metalmom
