#include "bridge/submissions.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/waiting.hpp"
#include "bridge/gil.hpp"
#include "bridge/scopes.hpp"

namespace metalmom::bridge {

// What all queues of the process share. A forked child has none of the workers, and begins anew.
struct Office {
  std::mutex mutex;  // of this and of the queues; never held by one who waits for Python's lock
  std::condition_variable changed;
  std::size_t places = 0;  // taken
  std::size_t workers = 0;
  bool closed = false;
  std::vector<std::weak_ptr<Queue>> queues;
  const std::uint64_t generation = fork_generation();

  // Where this process is a fork: its mutex may be held by a thread that is not here.
  bool is_of_parent() const { return generation != fork_generation(); }

  // With the mutex; what this answers must not be the last to let one go while that is held.
  std::vector<std::shared_ptr<Queue>> alive() const {
    std::vector<std::shared_ptr<Queue>> found;
    for (const auto& each : queues)
      if (auto queue = each.lock()) found.push_back(std::move(queue));
    return found;
  }
};

namespace {

Office& office() {
  static auto* instance = new ForkLocal<Office>;
  return instance->get();
}

thread_local bool is_worker = false;

}  // namespace

struct Waiting {
  py::object call;
  std::shared_ptr<Place> place;
};

struct Queue {
  explicit Queue(Office& o) : office(o) {}
  Queue(const Queue&) = delete;
  ~Queue() {
    // Only of a queue whose worker went without having worked it off; whoever drops that may do so
    // without Python's lock.
    for (Waiting& each : waiting) each.call.release();
  }

  void end() {
    if (office.is_of_parent()) return;
    const std::lock_guard lock(office.mutex);
    has_ended = true;
    arrived.notify_all();
  }

  void put(Waiting call) {
    const std::lock_guard lock(office.mutex);
    waiting.push_back(std::move(call));
    arrived.notify_all();
  }

  // The call that has this place, if it waits.
  void take_out(const std::shared_ptr<Place>& place) {
    Waiting dropped;  // without the lock: this may run Python
    const std::lock_guard lock(office.mutex);
    const auto found = std::ranges::find(waiting, place, &Waiting::place);
    if (found == waiting.end()) return;
    dropped = std::move(*found);
    waiting.erase(found);
  }

  Office& office;
  std::deque<Waiting> waiting;
  std::condition_variable arrived;
  bool has_worker = false;
  bool has_ended = false;         // the thread that submits
  std::shared_ptr<Queue> itself;  // of one that is never destroyed
};

namespace {

// This thread's queue, which ends with it.
class Own {
 public:
  ~Own() {
    abandon_of_parent();
    if (queue_) queue_->end();
  }

  const std::shared_ptr<Queue>& get() {
    abandon_of_parent();
    if (queue_) return queue_;
    auto made = std::make_shared<Queue>(office());
    {
      const std::lock_guard lock(made->office.mutex);
      auto& queues = made->office.queues;
      std::erase_if(queues, [](const auto& queue) { return queue.expired(); });
      queues.push_back(made);
    }
    return queue_ = std::move(made);
  }

 private:
  // A forked child never destroys it: in the parent a worker waits on its condition variable, and
  // the C library would wait for that worker here.
  void abandon_of_parent() {
    if (!queue_ || !queue_->office.is_of_parent()) return;
    Queue& abandoned = *queue_;
    abandoned.itself = std::move(queue_);
  }

  std::shared_ptr<Queue> queue_;
};

thread_local Own own;

// False where no thread can be made.
bool begin_worker(const std::shared_ptr<Queue>& queue, const py::object& begin) {
  {
    const std::lock_guard lock(queue->office.mutex);
    if (queue->has_worker) return true;
  }
  const auto start = py::module_::import("_thread").attr("start_new_thread");
  try {
    start(begin, py::make_tuple(std::make_shared<Worker>(queue)));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_RuntimeError)) throw;
    return false;
  }
  return true;
}

}  // namespace

bool Place::take(Office& of, std::size_t most, bool wait) {
  const auto take = [&] {
    if (!of.closed && of.places >= most) return false;
    if (!of.closed) {
      ++of.places;
      office_ = &of;
    }
    return true;
  };
  const auto require_taken = [this] {
    if (!office_)
      throw std::runtime_error("submit() takes no more calls: the program's main thread has ended");
    return true;
  };
  {
    const std::lock_guard lock(of.mutex);
    if (take()) return require_taken();
  }
  if (!wait) return false;
  const GilReleased unlocked;
  std::unique_lock lock(of.mutex);
  wait_until(lock, of.changed, no_deadline, take);
  return require_taken();
}

void Place::give_back() {
  Office* const of = std::exchange(office_, nullptr);
  if (!of || of->is_of_parent()) return;
  const std::lock_guard lock(of->mutex);
  --of->places;
  of->changed.notify_all();
}

Handed hand_over(py::object call, const std::shared_ptr<Place>& place, const py::object& begin,
                 bool wait) {
  const auto queue = own.get();
  // A worker is not made to wait for room: the room would be made by itself.
  const std::size_t most = is_worker ? std::numeric_limits<std::size_t>::max() : pending_limit();
  if (!place->take(queue->office, most, wait)) return Handed::no_room;
  // The call waits before a worker is looked for: a worker leaves only if no call waits, so one
  // that is there will make it.
  try {
    queue->put({std::move(call), place});
    if (begin_worker(queue, begin)) return Handed::over;
  } catch (...) {
    queue->take_out(place);
    place->give_back();
    throw;
  }
  queue->take_out(place);
  place->give_back();
  return Handed::no_thread;
}

Worker::Worker(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {
  const std::lock_guard lock(queue_->office.mutex);
  queue_->has_worker = true;
  ++queue_->office.workers;
}

Worker::~Worker() {
  if (queue_->office.is_of_parent()) return;
  const std::lock_guard lock(queue_->office.mutex);
  leave();
}

void Worker::leave() {
  if (std::exchange(has_left_, true)) return;
  queue_->has_worker = false;
  --queue_->office.workers;
  queue_->office.changed.notify_all();
}

py::object Worker::take() {
  is_worker = true;
  if (running_) running_->give_back();
  running_.reset();
  if (queue_->office.is_of_parent()) return py::none();
  Waiting next;
  {
    const GilReleased unlocked;
    std::unique_lock lock(queue_->office.mutex);
    auto& waiting = queue_->waiting;
    wait_until(lock, queue_->arrived, no_deadline,
               [&] { return !waiting.empty() || queue_->has_ended || queue_->office.closed; });
    if (!waiting.empty()) {
      next = std::move(waiting.front());
      waiting.pop_front();
    } else {
      leave();  // a kept error's traceback may hold this thread's frames, and so the worker
    }
  }
  running_ = std::move(next.place);
  return next.call ? next.call : py::none();
}

py::list waiting_calls() {
  std::vector<py::object> calls;
  std::vector<std::shared_ptr<Queue>> queues;
  {
    Office& of = office();
    const std::lock_guard lock(of.mutex);
    queues = of.alive();
    for (const auto& queue : queues)
      for (const Waiting& waiting : queue->waiting) calls.push_back(waiting.call);
  }
  py::list list;  // only now: what makes a Python object may run Python
  for (auto& call : calls) list.append(std::move(call));
  return list;
}

void finish_submissions() {
  const GilReleased unlocked;
  Office& of = office();
  std::vector<std::shared_ptr<Queue>> queues;
  std::unique_lock lock(of.mutex);
  of.closed = true;
  of.changed.notify_all();
  queues = of.alive();
  for (const auto& queue : queues) queue->arrived.notify_all();
  wait_until(lock, of.changed, no_deadline, [&] { return of.workers == 0; });
}

}  // namespace metalmom::bridge
