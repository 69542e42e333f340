#include "stream/partition_level.hpp"

#include <algorithm>

namespace metalmom::stream {

using dsp::simd::group_values;

template <class T>
PartitionLevel<T>::PartitionLevel(const LevelPlan& plan, Index base, Index channels,
                                  const View<const T>& responses)
    : plan_(plan),
      channels_(channels),
      n_responses_(responses.batch),
      kernels_(dsp::simd::partition_kernels<T>()),
      blocks_(plan.size),
      units_(spread(plan, base, blocks_.n_parts())),
      h_(static_cast<std::size_t>(responses.batch * blocks_.n_groups() * plan.count *
                                  group_values)),
      x_(static_cast<std::size_t>(channels * blocks_.n_groups() * plan.count * group_values)),
      sums_(static_cast<std::size_t>(channels * blocks_.n_groups() * group_values)),
      work_(static_cast<std::size_t>(channels * blocks_.work_size())) {
  const Index size = plan.size, row = plan.count * group_values;
  const Buffer<T> padded(static_cast<std::size_t>(size));
  for (Index r = 0; r < responses.batch; ++r)
    for (Index k = 0; k < plan.count; ++k) {
      padded.zero();
      const Index first = plan.first + k * size;
      const Index count = std::clamp<Index>(responses.cols - first, 0, size);
      std::copy_n(responses.row(r) + std::min(first, responses.cols), count, padded.data());
      blocks_.forward(padded.data(), work_.data(),
                      h_.data() + r * blocks_.n_groups() * row + k * group_values, row);
    }
  reset();
}

// The parts of the transform, the products of some groups each, the parts of the way back.
template <class T>
void PartitionLevel<T>::work(Index unit, Index number, Index channel, const T* samples, T* low,
                             T* high) {
  const Index n_groups = blocks_.n_groups(), row = plan_.count * group_values;
  const Index n_parts = blocks_.n_parts(), n_products = n_groups / groups_at_once;
  T* const x = x_.data() + channel * n_groups * row;
  T* const sums = sums_.data() + channel * n_groups * group_values;
  T* const memory = work_.data() + channel * blocks_.work_size();
  if (unit < n_parts) {
    blocks_.forward_part(unit, samples, memory, x + place(number) * group_values, row);
    return;
  }
  unit -= n_parts;
  if (unit < n_products) {
    const Index first = unit * groups_at_once;
    const T* const h = h_.data() + (n_responses_ > 1 ? channel : 0) * n_groups * row;
    kernels_.multiply_ring(x + first * row, h + first * row, plan_.count, place(number),
                           groups_at_once, sums + first * group_values);
    return;
  }
  blocks_.inverse_part(unit - n_products, sums, group_values, memory, low, high);
}

template <class T>
void PartitionLevel<T>::leave_out(Index number) {
  const Index row = plan_.count * group_values;
  for (Index i = 0; i < channels_ * blocks_.n_groups(); ++i)
    std::fill_n(x_.data() + i * row + place(number) * group_values, group_values, T(0));
}

template class PartitionLevel<float>;
template class PartitionLevel<double>;

}  // namespace metalmom::stream
