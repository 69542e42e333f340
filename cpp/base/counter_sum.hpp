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
      for (const auto& [name, member] : all_counters)
        sum_.sum_.*member += std::exchange(counters().*member, before_.*member) - before_.*member;
    }

   private:
    CounterSum& sum_;
    const Counters before_;
  };

  // Adds the sum to the counters of the calling thread.
  void give() const {
    for (const auto& [name, member] : all_counters) counters().*member += sum_.*member;
  }

 private:
  Counters sum_;
  std::mutex mutex_;
};

}  // namespace metalmom
