#include "stream/convolver.hpp"
#include "base/error_parts.hpp"
#include "base/stage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ops/op.hpp"

namespace metalmom::stream {

namespace {

constexpr Index overread = 16;  // values that the direct kernel reads beyond the end

// With samples up to this all sums stay within half of T's range. A transform of n samples and the
// one back sum n values each, before they are scaled; products in between are at most the taps'
// sum.
template <class T>
T largest_sample(const PartitionPlan& plan, const View<const T>& responses) {
  double largest_sum = 1;
  for (Index r = 0; r < responses.batch; ++r) {
    double sum = 0;
    for (Index i = 0; i < responses.cols; ++i)
      sum += std::abs(static_cast<double>(responses.row(r)[i]));
    largest_sum = std::max(largest_sum, sum);
  }
  const double n = plan.levels.empty() ? 1 : 2 * static_cast<double>(plan.largest());
  const double largest =
      static_cast<double>(std::numeric_limits<T>::max()) / 2 / (n * n) / largest_sum;
  if (!(largest >= 1))
    throw ArgumentError({.name = "h",
                         .rule = std::string("too large: sums in its transforms could overflow ") +
                                 (sizeof(T) == sizeof(float) ? "float32" : "float64"),
                         .verb = "is"});
  return static_cast<T>(largest);
}

// NaN is not within.
template <class T>
bool is_within(const T* y, Index count, T largest) {
  std::array<int, 16> beyond{};
  const Index whole = count / 16 * 16;
  for (Index i = 0; i < whole; i += 16)
    for (Index lane = 0; lane < 16; ++lane)
      beyond[static_cast<std::size_t>(lane)] |= !(std::abs(y[i + lane]) <= largest);
  for (Index i = whole; i < count; ++i) beyond[0] |= !(std::abs(y[i]) <= largest);
  return std::ranges::all_of(beyond, [](int each) { return each == 0; });
}

}  // namespace

template <class T>
Convolver<T>::Convolver(const PartitionPlan& plan, const View<const T>& responses, Index channels,
                        LateWork late_work)
    : plan_(plan),
      channels_(channels),
      n_responses_(responses.batch),
      n_taps_(responses.cols),
      largest_sample_(largest_sample(plan, responses)),
      kernels_(dsp::simd::partition_kernels<T>()),
      head_(static_cast<std::size_t>(responses.batch * plan.direct_taps)) {
  for (Index r = 0; r < n_responses_; ++r)
    std::copy_n(responses.row(r), plan.direct_taps, head_.data() + r * plan.direct_taps);
  levels_.reserve(plan.levels.size());
  for (const LevelPlan& each : plan.levels) {
    Level& level = levels_.emplace_back(each, plan.base, channels, responses);
    if (!level.partitions.is_late()) continue;
    if (late_work == LateWork::by_worker)
      blocks_.push_back(std::make_unique<LateBlocks<T>>(level.partitions));
    else
      for (auto& results : level.results)
        results = Buffer<T>(static_cast<std::size_t>(channels * 2 * each.size));
  }
  // The past of each channel, and room for at least 4096 samples more, so that it is moved to the
  // beginning seldom.
  const Index largest = plan.largest();
  past_ = std::max(3 * largest, plan.direct_taps);
  history_size_ = past_ + std::max<Index>(3 * largest, 4096) + overread;
  future_size_ = 4 * largest;
  history_ = Buffer<T>(static_cast<std::size_t>(channels * history_size_));
  future_ = Buffer<T>(static_cast<std::size_t>(channels * (future_size_ + overread)));
  reset();
  if (!blocks_.empty()) worker_ = std::make_unique<LateWorker<T>>(blocks_);
}

template <class T>
void Convolver<T>::reset() {
  if (worker_) worker_->pause();
  history_.zero();
  future_.zero();
  for (Level& level : levels_) {
    level.partitions.reset();
    for (auto& each : level.results) each.zero();
    level.added = nullptr;
  }
  for (const auto& each : blocks_) each->reset();
  held_ = past_;
  position_ = missed_ = 0;
  if (worker_) worker_->go_on();
}

template <class T>
void Convolver<T>::settle() {
  if (worker_) worker_->settle();
}

// The late levels are the last ones.
template <class T>
LateBlocks<T>* Convolver<T>::blocks_of(std::size_t level) const {
  const std::size_t first = levels_.size() - blocks_.size();
  return level < first ? nullptr : blocks_[level - first].get();
}

template <class T>
void Convolver<T>::make_room(Index count) {
  if (held_ + count + overread <= history_size_) return;
  for (Index b = 0; b < channels_; ++b)
    std::copy(history(b) + held_ - past_, history(b) + held_, history(b));
  held_ = past_;
}

template <class T>
bool Convolver<T>::takes(const T* in, Index in_stride, Index count) const {
  for (Index b = 0; b < channels_; ++b)
    if (!is_within(in + b * in_stride, count, largest_sample_)) return false;
  return true;
}

template <class T>
void Convolver<T>::check(const T* in, Index in_stride, Index count) const {
  if (takes(in, in_stride, count)) return;
  for (Index b = 0; b < channels_; ++b)
    ops::require_finite(std::span(in + b * in_stride, static_cast<std::size_t>(count)));
  throw ArgumentError({.name = "y",
                       .rule = "at most " + to_text(static_cast<double>(largest_sample_)) +
                               " in magnitude: convolved with this response more would overflow"});
}

template <class T>
void Convolver<T>::process(const T* in, Index in_stride, Index count, T* out, Index out_stride) {
  for (Index done = 0; done < count;) {
    const Index in_slot = position_ % plan_.base;
    const Index step = std::min(count - done, plan_.base - in_slot);
    make_room(step);
    const Index at = position_ % future_size_;
    for (Index b = 0; b < channels_; ++b) {
      const Stage stage("direct sums");
      T* const now = history(b) + held_;
      T* const known = future(b) + at;
      std::copy_n(in + b * in_stride + done, step, now);
      for (std::size_t i = levels_.size() - blocks_.size(); i < levels_.size(); ++i)
        blocks_of(i)->fill(b, position_ % levels_[i].partitions.plan().size, now, step);
      const T* const head = head_.data() + (n_responses_ > 1 ? b : 0) * plan_.direct_taps;
      kernels_.direct(now, head, plan_.direct_taps, known, step, out + b * out_stride + done);
      std::fill_n(known, step, T(0));
    }
    held_ += step;
    position_ += step;
    done += step;
    if (in_slot + step == plan_.base) end_slot();
  }
}

// At the end of a slot every level does the work that its plan has for that slot. Results are added
// at times that are the same with and without a worker: the order of a sum decides its last bits.
template <class T>
void Convolver<T>::end_slot() {
  const Stage stage("partitions");
  bool posted = false;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = levels_[i];
    LateBlocks<T>* const blocks = blocks_of(i);
    const Index size = level.partitions.plan().size, number = position_ / size - 1;
    if (number < 0) continue;
    if (position_ % size == 0) {
      begin_block(level, blocks, number);
      posted |= blocks != nullptr;
    }
    add_results(level, blocks);
    if (!blocks) work(level, number);
  }
  if (posted) worker_->wake();
}

// Block `number` has ended, and the work on the one before it is done.
template <class T>
void Convolver<T>::begin_block(Level& level, LateBlocks<T>* blocks, Index number) {
  if (!level.partitions.is_late()) return;
  if (blocks) {
    level.added = number > 0 ? blocks->result() : nullptr;
    if (number > 0 && !level.added) ++missed_;
    blocks->post(number);
  } else if (number > 0) {
    level.added = level.results[(number - 1) % 2].data();
  }
}

// A slot's share of the result that begins at the end of the last block: two samples for each of
// the slot, so all are there before they are heard.
template <class T>
void Convolver<T>::add_results(Level& level, LateBlocks<T>* blocks) {
  if (!level.added) return;
  const Index size = level.partitions.plan().size, since = position_ % size;
  const Index at = (position_ - since + 2 * since) % future_size_, count = 2 * plan_.base;
  for (Index b = 0; b < channels_; ++b) {
    T* const result = level.added + b * 2 * size + 2 * since;
    T* const sums = future(b) + at;
    for (Index i = 0; i < count; ++i) sums[i] += result[i];
    if (!blocks) std::fill_n(result, count, T(0));  // the next but one is added to it
  }
}

template <class T>
void Convolver<T>::work(Level& level, Index number) {
  PartitionLevel<T>& partitions = level.partitions;
  const LevelPlan& plan = partitions.plan();
  const Index since = position_ % plan.size, slot = since / plan_.base;
  const Index begin = partitions.units_before(slot), end = partitions.units_before(slot + 1);
  const Index at = (position_ - since + plan.first - plan.size) % future_size_;
  for (Index b = 0; b < channels_; ++b) {
    const T* const samples = history(b) + held_ - since - plan.size;
    T *low = future(b) + at, *high = future(b) + (at + plan.size) % future_size_;
    if (partitions.is_late()) {
      low = level.results[number % 2].data() + b * 2 * plan.size;
      high = low + plan.size;
    }
    for (Index unit = begin; unit < end; ++unit)
      partitions.work(unit, number, b, samples, low, high);
  }
}

template class Convolver<float>;
template class Convolver<double>;

}  // namespace metalmom::stream
