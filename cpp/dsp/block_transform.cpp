#include "dsp/block_transform.hpp"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/cache.hpp"
#include "base/ceil_div.hpp"
#include "dsp/library/complex_fft.hpp"

namespace metalmom::dsp {
namespace {

// Factors of the passes before the one within vectors: as few as registers allow, of about equal
// size, small ones first.
std::vector<int> radices_of(Index size, int width) {
  const int bits = std::countr_zero(static_cast<std::uint64_t>(size / width));
  const int most = width >= 8 ? 4 : 3;
  const int n_passes = ceil_div(bits, most);
  std::vector<int> radices;
  for (int i = 0; i < n_passes; ++i) radices.push_back(1 << ((bits + i) / n_passes));
  return radices;
}

template <class T>
BlockTable<T> make_table(Index size, int width) {
  const std::vector<int> radices = radices_of(size, width);
  BlockTable<T> table;
  simd::BlockPlan<T>& plan = table.plan;
  plan.size = size;
  plan.width = width;
  // Block b of a pass is a polynomial modulo z^M - exp(-2 pi i turns[b] / of).
  std::vector<Index> turns{1};
  Index of = 4;
  std::vector<T> values;
  std::vector<std::size_t> begins;
  const auto push = [&](Index index, Index length) {
    const Complex<T> value = root<T>(index, length);
    values.push_back(value.re);
    values.push_back(value.im);
  };
  for (const int radix : radices) {
    plan.radix[plan.n_passes++] = radix;
    begins.push_back(values.size());
    std::vector<Index> parts;
    for (const Index turn : turns) {
      for (int j = 1; j < radix; ++j) push(turn * j, of * radix);
      for (int k = 0; k < radix; ++k) parts.push_back(turn + k * of);
    }
    turns = std::move(parts);
    of *= radix;
  }
  values.resize((values.size() + 15) / 16 * 16);  // whole vectors follow
  const std::size_t last = values.size();
  for (std::size_t first = 0; first < turns.size(); first += static_cast<std::size_t>(width))
    for (int j = 1; j < width; ++j) {
      for (int lane = 0; lane < width; ++lane)
        values.push_back(root<T>(turns[first + lane] * j, of * width).re);
      for (int lane = 0; lane < width; ++lane)
        values.push_back(root<T>(turns[first + lane] * j, of * width).im);
    }
  table.values = Buffer<T>(values.size());
  std::copy(values.begin(), values.end(), table.values.data());
  for (std::size_t i = 0; i < begins.size(); ++i)
    plan.twiddles[i] = table.values.data() + begins[i];
  plan.last = table.values.data() + last;
  const Index part = size / plan.radix[0];
  plan.span = part >= width * width ? part : size;
  return table;
}

}  // namespace

template <class T>
BlockTransform<T>::BlockTransform(Index size)
    : size_(size), kernels_([&]() -> const simd::BlockKernels<T>& {
        const auto& set = simd::partition_kernels<T>();
        return size >= set.wide.width * set.wide.width ? set.wide : set.narrow;
      }()) {
  using Key = std::pair<Index, int>;
  static Cache<Key, BlockTable<T>> tables{"build tables of FFT"};
  table_ = tables.get(Key{size, kernels_.width}, [&] {
    return std::make_shared<const BlockTable<T>>(make_table<T>(size, kernels_.width));
  });
}

template <class T>
void BlockTransform<T>::forward(const T* samples, T* work, T* groups, Index stride) const {
  for (Index part = 0; part < n_parts(); ++part) forward_part(part, samples, work, groups, stride);
}

template <class T>
void BlockTransform<T>::add_inverse(const T* groups, Index stride, T* work, T* low, T* high) const {
  for (Index part = 0; part < n_parts(); ++part)
    inverse_part(part, groups, stride, work, low, high);
}

// As many parts of the first pass as there are spans.
template <class T>
void BlockTransform<T>::forward_part(Index part, const T* samples, T* work, T* groups,
                                     Index stride) const {
  const simd::BlockPlan<T>& plan = table_->plan;
  const Index n_spans = plan.n_spans(), places = size_ / plan.radix[0] / n_spans;
  if (part < n_spans)
    kernels_.open(plan, samples, part * places, (part + 1) * places, work);
  else
    kernels_.span(plan, part - n_spans, work, groups, stride);
}

template <class T>
void BlockTransform<T>::inverse_part(Index part, const T* groups, Index stride, T* work, T* low,
                                     T* high) const {
  const simd::BlockPlan<T>& plan = table_->plan;
  const Index n_spans = plan.n_spans(), places = size_ / plan.radix[0] / n_spans;
  if (part < n_spans) {
    kernels_.span_back(plan, part, groups, stride, work);
  } else {
    const Index first = (part - n_spans) * places;
    kernels_.close(plan, work, first, first + places, low, high);
  }
}

template class BlockTransform<float>;
template class BlockTransform<double>;

}  // namespace metalmom::dsp
