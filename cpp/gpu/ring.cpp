#include "gpu/ring.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "base/counter_sum.hpp"
#include "base/interrupt.hpp"
#include "base/memory_limits.hpp"
#include "base/workers.hpp"
#include "gpu/session_pool.hpp"

namespace metalmom::gpu {

namespace {

struct InFlight {
  SessionPool::Lease session;
  Index item;
};

}  // namespace

void run_ring(Device& device, const Ring& ring,
              const std::function<Index(CommandSession&, Index)>& start,
              const std::function<void(CommandSession&, Index)>& finish) {
  const auto n_jobs = static_cast<Index>(ring.first.size()) - 1;
  std::atomic<Index> next_job{0};
  std::atomic<bool> failed{false};
  CounterSum sum;

  const MemoryLimits limits = scoped_memory_limits();
  const auto work = [&] {
    const MemoryLimitsScope scope(limits);
    const CounterSum::Share share(sum);
    std::deque<InFlight> in_flight;
    const auto finish_oldest = [&] {
      InFlight oldest = std::move(in_flight.front());
      in_flight.pop_front();
      oldest.session->wait_interruptibly();
      finish(*oldest.session, oldest.item);
    };
    for (;;) {
      const Index job = next_job.fetch_add(1, std::memory_order_relaxed);
      if (job >= n_jobs || failed.load(std::memory_order_relaxed)) break;
      for (Index item = ring.first[job]; item < ring.first[job + 1]; ++item)
        for (Index next = item; next >= 0;) {
          check_interrupt();
          if (in_flight.size() == static_cast<std::size_t>(ring.depth)) finish_oldest();
          in_flight.push_back({device.sessions->lease(ring.bytes_of(next)), next});
          next = start(*in_flight.back().session, next);
        }
    }
    while (!in_flight.empty()) finish_oldest();
  };
  const auto workers = std::min<Index>(ring.workers, n_jobs);
  auto guarded = [&](Index, Index) {
    try {
      work();
    } catch (...) {
      failed = true;
      throw;
    }
  };
  if (workers > 1)
    parallel_for(workers, 1, guarded);
  else
    guarded(0, 1);
  sum.give();
}

}  // namespace metalmom::gpu
