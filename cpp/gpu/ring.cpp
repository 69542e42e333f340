#include "gpu/ring.hpp"

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

// A ring under way.
struct Lane {
  explicit Lane(const Ring& its) : ring(its), n_jobs(std::ssize(its.first) - 1) {}
  const Ring& ring;
  const Index n_jobs;
  std::atomic<Index> next_job{0};
  std::atomic<int> in_flight{0};
};

struct InFlight {
  SessionPool::Lease session;
  Index item;
  Lane* lane;
};

class Rings {
 public:
  Rings(std::span<const Ring> rings, int depth, std::atomic<Device*>* failed)
      : depth_(depth), failed_device_(failed), limits_(scoped_memory_limits()) {
    for (const Ring& each : rings) lanes_.emplace_back(each);
  }

  // The work of one thread, until no lane has a job that nobody has taken.
  void work() {
    const MemoryLimitsScope scope(limits_);
    const CounterSum::Share share(sum_);
    std::deque<InFlight> in_flight;
    try {
      while (!failed_) {
        Lane* const lane = next_lane();
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
  // The lane with fewest sessions in flight of those that have jobs left and room for a session.
  Lane* next_lane() {
    Lane* best = nullptr;
    int fewest = 0;
    for (Lane& lane : lanes_) {
      const int count = lane.in_flight.load(std::memory_order_relaxed);
      if (lane.next_job.load(std::memory_order_relaxed) >= lane.n_jobs || count >= lane.ring.most)
        continue;
      if (best && count >= fewest) continue;
      best = &lane;
      fewest = count;
    }
    return best;
  }

  void run_job(Lane& lane, std::deque<InFlight>& in_flight) {
    const Ring& ring = lane.ring;
    const Index job = lane.next_job.fetch_add(1, std::memory_order_relaxed);
    if (job >= lane.n_jobs) return;
    for (Index item = ring.first[job]; item < ring.first[job + 1]; ++item)
      for (Index next = item; next >= 0;) {
        check_interrupt();
        if (std::ssize(in_flight) == depth_) finish_oldest(in_flight);
        blaming(lane, [&] {
          in_flight.push_back({ring.device.sessions->lease(ring.bytes_of(next)), next, &lane});
          ++lane.in_flight;
          next = ring.start(*in_flight.back().session, next);
        });
      }
  }

  void finish_oldest(std::deque<InFlight>& in_flight) {
    InFlight oldest = std::move(in_flight.front());
    in_flight.pop_front();
    blaming(*oldest.lane, [&] {
      oldest.session->wait_interruptibly();
      oldest.lane->ring.finish(*oldest.session, oldest.item);
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
      if (failed_device_) failed_device_->compare_exchange_strong(nobody, &lane.ring.device);
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

void run_rings(std::span<const Ring> rings, int workers, int depth, std::atomic<Device*>* failed) {
  Index n_jobs = 0;
  for (const Ring& each : rings) n_jobs += std::ssize(each.first) - 1;
  Rings all(rings, depth, failed);
  if (const auto useful = std::min<Index>(workers, n_jobs); useful > 1)
    parallel_for(useful, 1, [&](Index, Index) { all.work(); });
  else
    all.work();
  all.give_counts();
}

}  // namespace metalmom::gpu
