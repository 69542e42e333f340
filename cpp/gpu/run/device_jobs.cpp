#include "gpu/run/device_jobs.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/workers.hpp"
#include "gpu/run/session_pool.hpp"

namespace metalmom::gpu {

namespace {

struct InFlight {
  SessionPool::Lease session;
  Index item;
};

class JobsRun {
 public:
  explicit JobsRun(const DeviceJobs& jobs)
      : jobs_(jobs),
        n_jobs_(std::ssize(jobs.first) - 1),
        most_of_thread_(std::min(jobs.most_in_flight, 2)) {}

  void run() {
    const Index useful = std::min<Index>({(jobs_.most_in_flight + 1) / 2, thread_count(), n_jobs_});
    if (useful > 1)
      parallel_for(useful, 1, [&](Index, Index) { work(); });
    else
      work();
    sum_.give();
  }

 private:
  // The work of one thread, until there is no job that nobody has taken.
  void work() {
    const CounterSum::Share share(sum_);
    std::deque<InFlight> in_flight;
    try {
      while (!failed_) {
        if (takes_room())
          run_job(in_flight);
        else if (in_flight.empty())
          break;
        else
          finish_oldest(in_flight);
      }
      while (!in_flight.empty()) finish_oldest(in_flight);
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  // Takes room for a session, if there are jobs left and room.
  bool takes_room() {
    int count = in_flight_.load(std::memory_order_relaxed);
    while (next_job_.load(std::memory_order_relaxed) < n_jobs_ && count < jobs_.most_in_flight)
      if (in_flight_.compare_exchange_weak(count, count + 1)) return true;
    return false;
  }

  void run_job(std::deque<InFlight>& in_flight) {
    const Index job = next_job_.fetch_add(1, std::memory_order_relaxed);
    if (job >= n_jobs_) {
      --in_flight_;
      return;
    }
    bool has_room = true;  // for the first session, by takes_room
    for (Index item = jobs_.first[job]; item < jobs_.first[job + 1]; ++item)
      for (Index next = item; next >= 0;) {
        check_interrupt();
        if (std::ssize(in_flight) == most_of_thread_) finish_oldest(in_flight);
        in_flight.push_back({jobs_.device.sessions->lease(jobs_.bytes_of(next)), next});
        if (!std::exchange(has_room, false)) ++in_flight_;
        next = jobs_.start(*in_flight.back().session, next);
      }
  }

  void finish_oldest(std::deque<InFlight>& in_flight) {
    InFlight oldest = std::move(in_flight.front());
    in_flight.pop_front();
    oldest.session->wait_interruptibly();
    jobs_.finish(*oldest.session, oldest.item);
    --in_flight_;
  }

  const DeviceJobs& jobs_;
  const Index n_jobs_;
  const int most_of_thread_;
  std::atomic<Index> next_job_{0};
  std::atomic<int> in_flight_{0};
  std::atomic<bool> failed_{false};
  CounterSum sum_;
};

}  // namespace

int sessions_in_flight(std::size_t session_bytes, std::size_t budget) {
  const std::size_t fitting =
      std::min(budget, SessionPool::most_idle_bytes) / std::max<std::size_t>(session_bytes, 1);
  const auto most = 2 * static_cast<std::size_t>(thread_count());
  return static_cast<int>(std::clamp<std::size_t>(fitting, 1, most));
}

void run_jobs(const DeviceJobs& jobs) {
  JobsRun(jobs).run();
}

}  // namespace metalmom::gpu
