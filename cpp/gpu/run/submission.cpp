#include "gpu/run/submission.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/interrupt.hpp"
#include "base/workers.hpp"
#include "gpu/run/session_pool.hpp"

namespace metalmom::gpu {

namespace {

struct InFlight {
  SessionPool::Lease session;
  Submission& submission;
};

class SubmissionsRun {
 public:
  SubmissionsRun(Device& device, std::span<Submission* const> submissions, int most_in_flight)
      : device_(device),
        submissions_(submissions),
        most_in_flight_(most_in_flight),
        most_of_thread_(std::min(most_in_flight, 2)) {}

  void run() {
    const Index useful =
        std::min<Index>({(most_in_flight_ + 1) / 2, thread_count(), std::ssize(submissions_)});
    if (useful > 1)
      parallel_for(useful, 1, [&](Index, Index) { work(); });
    else
      work();
    sum_.give();
  }

 private:
  // The work of one thread, until there is nothing that nobody has taken.
  void work() {
    const CounterSum::Share share(sum_);
    std::deque<InFlight> in_flight;
    try {
      while (!failed_) {
        if (takes_room())
          submit_next(in_flight);
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

  // Takes room for a session, if there is something left for it and room.
  bool takes_room() {
    int count = in_flight_.load(std::memory_order_relaxed);
    while (next_.load(std::memory_order_relaxed) < submissions_.size() && count < most_in_flight_)
      if (in_flight_.compare_exchange_weak(count, count + 1)) return true;
    return false;
  }

  void submit_next(std::deque<InFlight>& in_flight) {
    const std::size_t first = next_.fetch_add(1, std::memory_order_relaxed);
    if (first >= submissions_.size()) {
      --in_flight_;
      return;
    }
    bool has_room = true;  // for the first session, by takes_room
    for (Submission* each = submissions_[first]; each; each = each->next()) {
      check_interrupt();
      if (std::ssize(in_flight) == most_of_thread_) finish_oldest(in_flight);
      const SessionNeed need = each->need();
      in_flight.push_back({device_.sessions->lease(session_bytes(device_, need)), *each});
      if (!std::exchange(has_room, false)) ++in_flight_;
      CommandSession& session = *in_flight.back().session;
      session.begin(need);
      each->record(session);
      session.submit();
    }
  }

  void finish_oldest(std::deque<InFlight>& in_flight) {
    InFlight oldest = std::move(in_flight.front());
    in_flight.pop_front();
    oldest.session->wait_interruptibly();
    oldest.submission.finish(*oldest.session);
    --in_flight_;
  }

  Device& device_;
  const std::span<Submission* const> submissions_;
  const int most_in_flight_, most_of_thread_;
  std::atomic<std::size_t> next_{0};
  std::atomic<int> in_flight_{0};
  std::atomic<bool> failed_{false};
  CounterSum sum_;
};

}  // namespace

std::size_t session_bytes(const Device& device, const SessionNeed& need) {
  return need.workspace + (device.physical.unified_memory ? 0 : need.upload + need.download);
}

int sessions_in_flight(std::size_t session_bytes, std::size_t budget) {
  const std::size_t fitting =
      std::min(budget, SessionPool::most_idle_bytes) / std::max<std::size_t>(session_bytes, 1);
  const auto most = 2 * static_cast<std::size_t>(thread_count());
  return static_cast<int>(std::clamp<std::size_t>(fitting, 1, most));
}

void run_submissions(Device& device, std::span<Submission* const> submissions, int most_in_flight) {
  SubmissionsRun(device, submissions, most_in_flight).run();
}

}  // namespace metalmom::gpu
