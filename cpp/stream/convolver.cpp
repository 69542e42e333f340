#include "stream/convolver.hpp"

#include <algorithm>

#include "ops/op.hpp"

namespace metalmom::stream {

namespace {

using dsp::simd::group_values;

constexpr Index overread = 16;  // values that the direct kernel reads beyond the end

}  // namespace

template <class T>
Convolver<T>::Level::Level(const LevelPlan& level, Index base, Index channels,
                           const View<const T>& responses)
    : plan(level),
      blocks(level.size),
      units(spread(level, base, blocks.n_parts())),
      h(static_cast<std::size_t>(responses.batch * blocks.n_groups() * level.count * group_values)),
      x(static_cast<std::size_t>(channels * blocks.n_groups() * level.count * group_values)),
      sums(static_cast<std::size_t>(channels * blocks.n_groups() * group_values)),
      work(static_cast<std::size_t>(channels * blocks.work_size())) {
  const Index size = level.size, row = level.count * group_values;
  const Buffer<T> padded(static_cast<std::size_t>(size));
  for (Index r = 0; r < responses.batch; ++r)
    for (Index k = 0; k < level.count; ++k) {
      padded.zero();
      const Index first = level.first + k * size;
      const Index count = std::clamp<Index>(responses.cols - first, 0, size);
      std::copy_n(responses.row(r) + std::min(first, responses.cols), count, padded.data());
      blocks.forward(padded.data(), work.data(),
                     h.data() + r * blocks.n_groups() * row + k * group_values, row);
    }
}

template <class T>
Convolver<T>::Convolver(const PartitionPlan& plan, const View<const T>& responses, Index channels)
    : plan_(plan),
      channels_(channels),
      n_responses_(responses.batch),
      kernels_(dsp::simd::partition_kernels<T>()),
      head_(static_cast<std::size_t>(responses.batch * plan.direct_taps)) {
  for (Index r = 0; r < n_responses_; ++r)
    std::copy_n(responses.row(r), plan.direct_taps, head_.data() + r * plan.direct_taps);
  levels_.reserve(plan.levels.size());
  for (const LevelPlan& level : plan.levels)
    levels_.emplace_back(level, plan.base, channels, responses);
  // The past of each channel, and as much room again, so that it is moved to the beginning seldom.
  const Index largest = plan.largest();
  past_ = std::max(3 * largest, plan.direct_taps);
  history_size_ = past_ + std::max<Index>(3 * largest, 4096) + overread;
  future_size_ = 4 * largest;
  history_ = Buffer<T>(static_cast<std::size_t>(channels * history_size_));
  future_ = Buffer<T>(static_cast<std::size_t>(channels * (future_size_ + overread)));
  reset();
}

template <class T>
void Convolver<T>::reset() {
  history_.zero();
  future_.zero();
  for (Level& level : levels_) {
    level.x.zero();
    level.place = level.end = 0;
  }
  held_ = past_;
  position_ = 0;
}

template <class T>
void Convolver<T>::make_room(Index count) {
  if (held_ + count + overread <= history_size_) return;
  for (Index b = 0; b < channels_; ++b)
    std::copy(history(b) + held_ - past_, history(b) + held_, history(b));
  held_ = past_;
}

template <class T>
void Convolver<T>::process(const T* in, Index in_stride, Index count, T* out, Index out_stride) {
  for (Index b = 0; b < channels_; ++b)
    ops::require_finite(std::span(in + b * in_stride, static_cast<std::size_t>(count)));
  for (Index done = 0; done < count;) {
    const Index in_slot = position_ % plan_.base;
    const Index step = std::min(count - done, plan_.base - in_slot);
    make_room(step);
    const Index at = position_ % future_size_;
    for (Index b = 0; b < channels_; ++b) {
      T* const now = history(b) + held_;
      T* const known = future(b) + at;
      std::copy_n(in + b * in_stride + done, step, now);
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

// At the end of a slot every level does the work that its plan has for that slot.
template <class T>
void Convolver<T>::end_slot() {
  for (Level& level : levels_) {
    const Index since = position_ % level.plan.size;
    if (since == 0) {
      level.end = position_;
      level.place = (level.place + level.plan.count - 1) % level.plan.count;
    }
    if (level.end == 0) continue;
    const auto slot = static_cast<std::size_t>(since / plan_.base);
    for (Index b = 0; b < channels_; ++b)
      for (Index unit = level.units[slot]; unit < level.units[slot + 1]; ++unit)
        work(level, unit, b);
  }
}

// The parts of the transform, the products of some groups each, the parts of the way back.
template <class T>
void Convolver<T>::work(Level& level, Index unit, Index channel) {
  const LevelPlan& plan = level.plan;
  const auto& blocks = level.blocks;
  const Index n_groups = blocks.n_groups(), row = plan.count * group_values;
  const Index n_parts = blocks.n_parts(), n_products = n_groups / groups_at_once;
  T* const x = level.x.data() + channel * n_groups * row;
  T* const sums = level.sums.data() + channel * n_groups * group_values;
  T* const memory = level.work.data() + channel * blocks.work_size();
  if (unit < n_parts) {
    const T* const samples = history(channel) + held_ - (position_ - level.end) - plan.size;
    blocks.forward_part(unit, samples, memory, x + level.place * group_values, row);
    return;
  }
  unit -= n_parts;
  if (unit < n_products) {
    const Index first = unit * groups_at_once;
    const T* const h = level.h.data() + (n_responses_ > 1 ? channel : 0) * n_groups * row;
    kernels_.multiply_ring(x + first * row, h + first * row, plan.count, level.place,
                           groups_at_once, sums + first * group_values);
    return;
  }
  const Index at = (level.end + plan.first - plan.size) % future_size_;
  blocks.inverse_part(unit - n_products, sums, group_values, memory, future(channel) + at,
                      future(channel) + (at + plan.size) % future_size_);
}

template class Convolver<float>;
template class Convolver<double>;

}  // namespace metalmom::stream
