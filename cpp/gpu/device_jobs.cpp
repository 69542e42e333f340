#include "gpu/device_jobs.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/memory_limits.hpp"
#include "base/workers.hpp"
#include "gpu/session_pool.hpp"

namespace metalmom::gpu {

namespace {

// A device's jobs under way.
struct Lane {
  explicit Lane(const DeviceJobs& its) : jobs(its), n_jobs(std::ssize(its.first) - 1) {}
  const DeviceJobs& jobs;
  const Index n_jobs;
  std::atomic<Index> next_job{0};
  std::atomic<int> in_flight{0};
};

struct InFlight {
  SessionPool::Lease session;
  Index item;
  Lane* lane;
};

class Lanes {
 public:
  Lanes(std::span<const DeviceJobs> devices, int depth, std::atomic<Device*>* failed)
      : depth_(depth), failed_device_(failed), limits_(scoped_memory_limits()) {
    for (const DeviceJobs& each : devices) lanes_.emplace_back(each);
  }

  // The work of one thread, until no lane has a job that nobody has taken.
  void work() {
    const MemoryLimitsScope scope(limits_);
    const CounterSum::Share share(sum_);
    std::deque<InFlight> in_flight;
    try {
      while (!failed_) {
        Lane* const lane = join_lane();
        if (lane)
          run_job(*lane, in_flight);
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

  void give_counts() const { sum_.give(); }

 private:
  // Takes room for a session in the lane with fewest sessions in flight, of those that have jobs
  // left and room.
  Lane* join_lane() {
    while (true) {
      Lane* best = nullptr;
      int fewest = 0;
      for (Lane& lane : lanes_) {
        const int count = lane.in_flight.load(std::memory_order_relaxed);
        if (lane.next_job.load(std::memory_order_relaxed) >= lane.n_jobs ||
            count >= lane.jobs.enough_in_flight)
          continue;
        if (best && count >= fewest) continue;
        best = &lane;
        fewest = count;
      }
      if (!best || best->in_flight.compare_exchange_strong(fewest, fewest + 1)) return best;
    }
  }

  void run_job(Lane& lane, std::deque<InFlight>& in_flight) {
    const DeviceJobs& jobs = lane.jobs;
    const Index job = lane.next_job.fetch_add(1, std::memory_order_relaxed);
    if (job >= lane.n_jobs) {
      --lane.in_flight;
      return;
    }
    bool has_room = true;  // for the first session, by join_lane
    for (Index item = jobs.first[job]; item < jobs.first[job + 1]; ++item)
      for (Index next = item; next >= 0;) {
        check_interrupt();
        if (std::ssize(in_flight) == depth_) finish_oldest(in_flight);
        blaming(lane, [&] {
          in_flight.push_back({jobs.device.sessions->lease(jobs.bytes_of(next)), next, &lane});
          if (!std::exchange(has_room, false)) ++lane.in_flight;
          next = jobs.start(*in_flight.back().session, next);
        });
      }
  }

  void finish_oldest(std::deque<InFlight>& in_flight) {
    InFlight oldest = std::move(in_flight.front());
    in_flight.pop_front();
    blaming(*oldest.lane, [&] {
      oldest.session->wait_interruptibly();
      oldest.lane->jobs.finish(*oldest.session, oldest.item);
    });
    --oldest.lane->in_flight;
  }

  // Notes which device an error comes from.
  template <class F>
  void blaming(Lane& lane, F&& call) {
    try {
      call();
    } catch (const DeviceError&) {
      Device* nobody = nullptr;
      if (failed_device_) failed_device_->compare_exchange_strong(nobody, &lane.jobs.device);
      throw;
    }
  }

  std::deque<Lane> lanes_;
  const int depth_;
  std::atomic<Device*>* const failed_device_;
  const MemoryLimits limits_;
  std::atomic<bool> failed_{false};
  CounterSum sum_;
};

}  // namespace

int sessions_in_flight(std::size_t session_bytes, std::size_t budget) {
  const std::size_t fitting = std::min(budget, SessionPool::most_idle_bytes) /
                              std::max<std::size_t>(session_bytes, 1);
  const auto most = 2 * static_cast<std::size_t>(thread_count());
  return static_cast<int>(std::clamp<std::size_t>(fitting, 1, most));
}

void run_jobs(std::span<const DeviceJobs> devices, int workers, int depth,
              std::atomic<Device*>* failed) {
  Index n_jobs = 0;
  for (const DeviceJobs& each : devices) n_jobs += std::ssize(each.first) - 1;
  Lanes all(devices, depth, failed);
  if (const auto useful = std::min<Index>(workers, n_jobs); useful > 1)
    parallel_for(useful, 1, [&](Index, Index) { all.work(); });
  else
    all.work();
  all.give_counts();
}

}  // namespace metalmom::gpu
