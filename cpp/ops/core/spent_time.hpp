// The time of a scope, for a consumer that is timed. For one that is not, no clock is read.
#pragma once

#include <chrono>

#include "ops/core/consumer.hpp"

namespace metalmom::ops {

template <class T>
class SpentTime {
 public:
  SpentTime(Consumer<T>* consumer, Spending on) : consumer_(consumer), on_(on) {
    if (consumer->timed()) [[unlikely]] begin_ = Clock::now();
  }
  ~SpentTime() {
    if (consumer_->timed()) [[unlikely]]
      consumer_->spend(on_, std::chrono::nanoseconds(Clock::now() - begin_).count());
  }
  SpentTime(const SpentTime&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Consumer<T>* const consumer_;
  const Spending on_;
  Clock::time_point begin_;
};

}  // namespace metalmom::ops
