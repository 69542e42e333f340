// Calls that threads have handed to workers: for each thread that submits a queue, which a thread
// of Python works off. Taking a place, queueing the call and beginning the worker is one call from
// Python, which no exception of a signal handler can cut in two; and the mutex is never held while
// Python runs, so that a signal handler may submit, too.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

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

  // Waits for room, at most `most` of them; throws where no more calls are taken.
  void take(Office& office, std::size_t most);
  // Once: what is given back already is nobody's.
  void give_back();

 private:
  Office* office_ = nullptr;
};

// Queues a call of this thread's, behind what it has submitted before. `begin` is called with a
// Worker in a new thread if the queue has none. False, and nothing is queued, where no thread can
// be made.
bool hand_over(py::object call, const std::shared_ptr<Place>& place, const py::object& begin);

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
