// The time of a scope, for a consumer that is timed. For one that is not, no clock is read.
#pragma once

#include "ops/core/consumer.hpp"

namespace metalmom::ops {

template <class T>
class SpentTime {
 public:
  SpentTime(Consumer<T>* consumer, Spending on) : consumer_(consumer), on_(on) {
    if (const auto clock = consumer->clock()) [[unlikely]]
      begin_ = clock();
  }
  ~SpentTime() {
    if (const auto clock = consumer_->clock()) [[unlikely]]
      consumer_->spend(on_, clock() - begin_);
  }
  SpentTime(const SpentTime&) = delete;

 private:
  Consumer<T>* const consumer_;
  const Spending on_;
  std::int64_t begin_ = 0;
};

}  // namespace metalmom::ops
