#include "dsp/simd/fft_table.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "base/cache.hpp"

namespace metalmom::dsp::simd {
namespace {

// exp(-2 pi i index / length). Within an eighth of the circle sine and cosine are exact to half a
// unit; the rest follows by symmetry.
template <class T>
void store_root(Index index, Index length, T* re, T* im) {
  const Index eighths = 8 * (index % length) / length;
  const Index base = (eighths + 1) / 2;  // nearest quarter turn
  const double angle = 2 * std::numbers::pi *
                       static_cast<double>(4 * (index % length) - base * length) /
                       (4 * static_cast<double>(length));
  const double c = std::cos(angle), s = std::sin(angle);
  const double real[] = {c, -s, -c, s}, imag[] = {s, c, -s, -c};
  *re = static_cast<T>(real[base % 4]);
  *im = static_cast<T>(-imag[base % 4]);
}

template <class T>
Buffer<T> make_table(const FftPlan& plan) {
  Buffer<T> table(static_cast<std::size_t>(plan.table_size));
  table.zero();
  const Index width = plan.width;
  const FftPass& first = plan.passes[0];
  T* out = table.data() + first.twiddles;
  for (Index group = 0; group < first.length / first.radix; group += width)
    for (Index k = 1; k < first.radix; ++k, out += 2 * width)
      for (Index lane = 0; lane < width; ++lane)
        store_root((group + lane) * k, first.length, out + lane, out + width + lane);
  for (int i = 1; i < plan.n_passes; ++i) {
    const FftPass& pass = plan.passes[i];
    out = table.data() + pass.twiddles;
    for (Index p = 1; p < pass.length / pass.radix; ++p)
      for (Index k = 1; k < pass.radix; ++k, out += 2) store_root(p * k, pass.length, out, out + 1);
  }
  out = table.data() + plan.split;
  for (Index k = 0; k < plan.points / 2; ++k, ++out)
    store_root(k, 2 * plan.points, out, out + plan.points / 2);
  return table;
}

// Radices whose product is `points`; empty if a prime factor is too large. Powers of two are fours,
// after an eight rather than with a two.
std::vector<int> radices_of(Index points) {
  std::vector<int> radices;
  const auto take = [&](int radix) {
    for (; points % radix == 0; points /= radix) radices.push_back(radix);
  };
  if (const int twos = std::countr_zero(static_cast<std::uint64_t>(points)); twos % 2 && twos > 1) {
    radices.push_back(8);
    points /= 8;
  }
  take(4);
  for (int radix = 2; radix <= largest_factor; ++radix) take(radix);
  return points == 1 ? radices : std::vector<int>{};
}

template <class T>
MixedTable<T> make_mixed_table(Index size, Index points, const std::vector<int>& radices) {
  std::size_t n_constants = points == size ? 0 : static_cast<std::size_t>(points / 2 + 1);
  Index length = points;
  for (const int radix : radices) {
    n_constants += static_cast<std::size_t>(length / radix * (radix - 1) +
                                            (radix % 2) * (radix / 2) * (radix / 2));
    length /= radix;
  }
  MixedTable<T> table{{.size = size, .points = points}, {}, {0}, Buffer<T>(2 * n_constants)};
  T* out = table.constants.data();
  const auto push = [&](Index index, Index of) {
    store_root(index, of, out, out + 1);
    out += 2;
  };
  length = points;
  for (const int radix : radices) {
    const Index rest = length / radix;
    const T* const twiddles = out;
    for (Index p = 0; p < rest; ++p)
      for (Index k = 1; k < radix; ++k) push(p * k, length);
    const T* const roots = out;
    if (radix % 2)
      for (Index k = 1; k <= radix / 2; ++k)
        for (Index j = 1; j <= radix / 2; ++j) push(j * k, radix);
    table.passes.push_back({radix, rest, twiddles, roots});
    if (rest > 1) {  // result k of each butterfly goes to transform k of the next pass
      const auto n_groups = table.groups.size();
      for (int k = 1; k < radix; ++k)
        for (std::size_t i = 0; i < n_groups; ++i)
          table.groups.push_back(table.groups[i] + k * rest);
    }
    length = rest;
  }
  table.plan.split = out;
  if (table.plan.packed())
    for (Index k = 0; k <= points / 2; ++k) push(k, size);
  table.plan.passes = table.passes.data();
  table.plan.groups = table.groups.data();
  table.plan.n_passes = std::ssize(table.passes);
  return table;
}

}  // namespace

template <class T, class S>
FrameKernels<T, S> frame_kernels(const Kernels& kernels, Index n_fft) {
  if (n_fft < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n_fft))) return {};
  const int i = std::countr_zero(static_cast<std::uint64_t>(n_fft)) - smallest_log2;
  if (i < 0 || i >= n_sizes) return {};
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_frames[i];
  else if constexpr (std::is_same_v<S, double>)
    return kernels.double_frames[i];
  else
    return kernels.mixed_frames[i];
}

template <class T>
std::shared_ptr<const Buffer<T>> fft_table(Index points, int width) {
  static Cache<std::pair<Index, int>, Buffer<T>> tables{"build tables of FFT"};
  return tables.get({points, width}, [&] {
    ++counters().plan_builds;
    return std::make_shared<const Buffer<T>>(make_table<T>(fft_plan(points, width)));
  });
}

template <class T, class S>
const MixedKernels<T, S>& mixed_kernels(const Kernels& kernels) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_sizes;
  else if constexpr (std::is_same_v<S, double>)
    return kernels.double_sizes;
  else
    return kernels.mixed_sizes;
}

template <class T>
std::shared_ptr<const MixedTable<T>> mixed_table(Index size) {
  constexpr Index most_points = 2304;  // so that 16 frames in lanes stay in the second-level cache
  const Index points = size % 2 == 0 ? size / 2 : size;
  if (points < 2 || points > most_points) return nullptr;
  const auto radices = radices_of(points);
  if (radices.empty()) return nullptr;
  static Cache<Index, MixedTable<T>> tables{"build tables of FFT"};
  return tables.get(size, [&] {
    ++counters().plan_builds;
    return std::make_shared<const MixedTable<T>>(make_mixed_table<T>(size, points, radices));
  });
}

template FrameKernels<float, float> frame_kernels(const Kernels&, Index);
template FrameKernels<double, double> frame_kernels(const Kernels&, Index);
template FrameKernels<double, float> frame_kernels(const Kernels&, Index);
template std::shared_ptr<const Buffer<float>> fft_table(Index, int);
template std::shared_ptr<const Buffer<double>> fft_table(Index, int);
template const MixedKernels<float, float>& mixed_kernels(const Kernels&);
template const MixedKernels<double, double>& mixed_kernels(const Kernels&);
template const MixedKernels<double, float>& mixed_kernels(const Kernels&);
template std::shared_ptr<const MixedTable<float>> mixed_table(Index);
template std::shared_ptr<const MixedTable<double>> mixed_table(Index);

}  // namespace metalmom::dsp::simd
