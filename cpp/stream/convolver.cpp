#include "stream/convolver.hpp"

#include <algorithm>

#include "ops/op.hpp"

namespace metalmom::stream {

namespace {

using dsp::simd::group_values;

constexpr Index overread = 16;  // what the direct kernel reads beyond

}  // namespace

template <class T>
Convolver<T>::Level::Level(const LevelPlan& level, Index channels, const View<const T>& responses)
    : plan(level),
      blocks(level.size),
      h(static_cast<std::size_t>(responses.batch * blocks.n_groups() * level.count * group_values)),
      h_half(static_cast<std::size_t>(responses.batch * level.count)),
      x(static_cast<std::size_t>(channels * blocks.n_groups() * level.count * group_values)),
      x_half(static_cast<std::size_t>(channels * level.count)),
      sums(static_cast<std::size_t>(channels * blocks.n_groups() * group_values)) {
  const Index size = level.size, row = level.count * group_values;
  const Buffer<T> padded(static_cast<std::size_t>(2 * size));
  for (Index r = 0; r < responses.batch; ++r)
    for (Index k = 0; k < level.count; ++k) {
      padded.zero();
      const Index first = level.first + k * size;
      const Index count = std::clamp<Index>(responses.cols - first, 0, size);
      std::copy_n(responses.row(r) + std::min(first, responses.cols), count, padded.data());
      h_half[static_cast<std::size_t>(r * level.count + k)] = blocks.forward(
          padded.data(), h.data() + r * blocks.n_groups() * row + k * group_values, row);
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
  for (const LevelPlan& level : plan.levels) levels_.emplace_back(level, channels, responses);
  // Two blocks of the largest level, and as much again so that the past is moved seldom.
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
    level.x_half.zero();
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
  const OwnWorkspace::Scope scope(workspace_);
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

// At the end of every slot the levels do what falls into it.
template <class T>
void Convolver<T>::end_slot() {
  for (Level& level : levels_) {
    const Index since = position_ % level.plan.size;
    if (since == 0) level.end = position_;
    if (level.end > 0) work(level, since / plan_.base);
  }
}

template <class T>
void Convolver<T>::work(Level& level, Index slot) {
  const LevelPlan& plan = level.plan;
  const Index n_groups = level.blocks.n_groups(), row = plan.count * group_values;
  const Index since = position_ - level.end;
  const bool forward = slot == plan.forward_slot, inverse = slot == plan.inverse_slot;
  if (forward) level.place = (level.place + plan.count - 1) % plan.count;
  const Index first_group = plan.groups[static_cast<std::size_t>(slot)];
  const Index groups = plan.groups[static_cast<std::size_t>(slot + 1)] - first_group;
  for (Index b = 0; b < channels_; ++b) {
    const Index r = n_responses_ > 1 ? b : 0;
    T* const x = level.x.data() + b * n_groups * row;
    T* const x_half = level.x_half.data() + b * plan.count;
    T* const sums = level.sums.data() + b * n_groups * group_values;
    if (forward)
      x_half[level.place] = level.blocks.forward(history(b) + held_ - since - 2 * plan.size,
                                                 x + level.place * group_values, row);
    if (groups > 0)
      kernels_.multiply_ring(x + first_group * row,
                             level.h.data() + (r * n_groups + first_group) * row, plan.count,
                             level.place, groups, sums + first_group * group_values);
    if (!inverse) continue;
    T half = 0;
    for (Index k = 0; k < plan.count; ++k)
      half += x_half[(level.place + k) % plan.count] *
              level.h_half[static_cast<std::size_t>(r * plan.count + k)];
    const Index at = (level.end + plan.first - plan.size) % future_size_;
    level.blocks.add_inverse(sums, half, future(b) + at);
  }
}

template class Convolver<float>;
template class Convolver<double>;

}  // namespace metalmom::stream
