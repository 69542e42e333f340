// The counts of pool threads for the call that they work for: counters belong to a thread, but the
// work belongs to the call.
#pragma once

#include <mutex>
#include <utility>

#include "base/counters.hpp"

namespace metalmom {

class CounterSum {
 public:
  // What this thread counts during the share's lifetime goes into the sum instead.
  class Share {
   public:
    explicit Share(CounterSum& sum) : sum_(sum), before_(counters()) {}
    Share(const Share&) = delete;
    ~Share() {
      std::lock_guard lock(sum_.mutex_);
      for (const auto member : counted)
        sum_.sum_.*member += std::exchange(counters().*member, before_.*member) - before_.*member;
    }

   private:
    CounterSum& sum_;
    const Counters before_;
  };

  // Adds the sum to the counters of the calling thread.
  void give() const {
    for (const auto member : counted) counters().*member += sum_.*member;
  }

 private:
  static constexpr std::uint64_t Counters::*counted[] = {
      &Counters::calls,           &Counters::allocations,    &Counters::plan_builds,
      &Counters::pipeline_builds, &Counters::cache_hits,     &Counters::cache_misses,
      &Counters::submits,         &Counters::uploaded_bytes, &Counters::downloaded_bytes};

  Counters sum_;
  std::mutex mutex_;
};

}  // namespace metalmom
