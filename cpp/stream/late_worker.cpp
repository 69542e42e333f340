#include "stream/late_worker.hpp"

#include <algorithm>
#include <chrono>

#include "base/fork.hpp"
#include "base/stage.hpp"
#include "base/subnormals.hpp"

namespace metalmom::stream {

template <class T>
LateBlocks<T>::LateBlocks(PartitionLevel<T>& level)
    : level_(level),
      samples_(static_cast<std::size_t>(n_entries * level.channels() * level.plan().size)),
      results_(static_cast<std::size_t>(n_results * level.channels() * 2 * level.plan().size)) {}

template <class T>
T* LateBlocks<T>::samples(Index entry, Index channel) const {
  return samples_.data() + (entry % n_entries * level_.channels() + channel) * level_.plan().size;
}

template <class T>
T* LateBlocks<T>::results(Index entry, Index channel) const {
  return results_.data() +
         (entry % n_results * level_.channels() + channel) * 2 * level_.plan().size;
}

template <class T>
void LateBlocks<T>::fill(Index channel, Index at, const T* from, Index count) {
  if (has_place_)
    std::copy_n(from, count, samples(posted_.load(std::memory_order_relaxed), channel) + at);
}

template <class T>
void LateBlocks<T>::post(Index number) {
  Index posted = posted_.load(std::memory_order_relaxed);
  was_posted_ = has_place_;
  if (has_place_) {
    entries_[static_cast<std::size_t>(posted % n_entries)] = {number, left_out_};
    left_out_ = 0;
    posted_.store(++posted, std::memory_order_release);
  } else {
    ++left_out_;
  }
  has_place_ = posted - finished_.load(std::memory_order_acquire) < n_entries;
}

template <class T>
T* LateBlocks<T>::result() {
  if (!was_posted_) return nullptr;
  const Index posted = posted_.load(std::memory_order_relaxed);
  if (finished_.load(std::memory_order_acquire) == posted) return results(posted - 1, 0);
  expired_.store(posted, std::memory_order_relaxed);
  return nullptr;
}

template <class T>
void LateBlocks<T>::reset() {
  posted_ = finished_ = expired_ = 0;
  has_place_ = true;
  was_posted_ = false;
  left_out_ = unit_ = 0;
}

template <class T>
void LateBlocks<T>::work() {
  const Stage stage("late partitions");
  const Index entry = finished_.load(std::memory_order_relaxed), size = level_.plan().size;
  const auto [number, left_out] = entries_[static_cast<std::size_t>(entry % n_entries)];
  if (unit_ == 0) {
    for (Index i = 1; i <= std::min(left_out, level_.plan().count - 1); ++i)
      level_.leave_out(number - i);
    std::fill_n(results(entry, 0), level_.channels() * 2 * size, T(0));
  }
  for (Index b = 0; b < level_.channels(); ++b)
    level_.work(unit_, number, b, samples(entry, b), results(entry, b), results(entry, b) + size);
  ++unit_;
  // Later blocks want the spectrum; nobody wants a result that comes too late.
  const bool unwanted = expired_.load(std::memory_order_relaxed) > entry;
  if (unit_ < (unwanted ? level_.n_transforms() : level_.n_units())) return;
  unit_ = 0;
  finished_.store(entry + 1, std::memory_order_release);
}

template <class T>
LateWorker<T>::LateWorker(std::span<const std::unique_ptr<LateBlocks<T>>> levels)
    : levels_(levels) {
  start();
}

template <class T>
LateWorker<T>::~LateWorker() {
  if (is_in_this_process()) {
    ending_ = true;
    wake();
    thread_->join();
  } else {
    (void)thread_.release();  // the parent's
  }
}

template <class T>
bool LateWorker<T>::is_in_this_process() const {
  return thread_ && generation_ == fork_generation();
}

// What a parent's thread had begun is done from its beginning: until it is finished nobody reads
// it.
template <class T>
void LateWorker<T>::start() {
  (void)thread_.release();
  for (const auto& each : levels_) each->begin_again();
  generation_ = fork_generation();
  thread_ = std::make_unique<std::thread>([this] { live(); });
}

template <class T>
void LateWorker<T>::wake() {
  if (!is_in_this_process()) return start();
  calls_.fetch_add(1);
  calls_.notify_one();
}

template <class T>
void LateWorker<T>::pause() {
  if (!is_in_this_process()) return;
  const int pause = pauses_.fetch_add(1) + 1;
  wake();
  for (int seen = answered_; seen != pause; seen = answered_) answered_.wait(seen);
}

template <class T>
void LateWorker<T>::go_on() {
  if (!is_in_this_process()) return;
  pauses_.fetch_add(1);
  pauses_.notify_one();
}

template <class T>
void LateWorker<T>::settle() {
  if (!is_in_this_process()) wake();
  for (const auto& each : levels_)
    while (!each->is_idle()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

template <class T>
bool LateWorker<T>::work() {
  for (const auto& each : levels_)
    if (each->has_work()) {
      each->work();
      return true;
    }
  return false;
}

template <class T>
void LateWorker<T>::live() {
  const SubnormalsFlushed arithmetic;
  while (!ending_) {
    const int calls = calls_;
    if (const int pause = pauses_; pause % 2 != 0) {
      answered_ = pause;
      answered_.notify_one();
      pauses_.wait(pause);
    } else if (!work() && !ending_) {
      calls_.wait(calls);
    }
  }
}

template class LateBlocks<float>;
template class LateBlocks<double>;
template class LateWorker<float>;
template class LateWorker<double>;

}  // namespace metalmom::stream
