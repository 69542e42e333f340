#include "dsp/flux.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/buffer.hpp"

namespace metalmom::dsp {

namespace {

// max that lets NaN through from either side, as NumPy's does.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

// One band's flux for a block of frames.
template <class T>
void band_flux(const FluxSource<T>& s, Index band, Index first, Index count, T* flux) {
  const T* levels = s.levels + band * s.stride + first + s.lag;
  // Neighbours beyond the edges mirror neighbours within, so they change no maximum.
  const Index low = std::max<Index>(0, band - s.max_size / 2);
  const Index high = std::min(s.bands, band - s.max_size / 2 + s.max_size);
  T top[flux_frames];
  const T* reference = s.reference + low * s.stride + first;
  if (high - low > 1) {
    std::copy_n(reference, count, top);
    for (Index f = low + 1; f < high; ++f)
      for (Index t = 0; t < count; ++t)
        top[t] = larger(top[t], s.reference[f * s.stride + first + t]);
    reference = top;
  }
  for (Index t = 0; t < count; ++t) {
    const T rise = levels[t] - reference[t];
    flux[t] = rise < 0 ? T(0) : rise;
  }
}

// The median of each column of `values` (rows x flux_frames, all >= 0 or NaN). Non-negative floats
// sort as their bits do, so the middle value is found bit by bit, all columns in step.
template <class T>
void column_medians(const T* values, Index rows, Index count, T* out) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const Bits rank = static_cast<Bits>((rows - 1) / 2);  // of the lower middle
  Bits found[flux_frames] = {}, below[flux_frames];
  for (int bit = std::numeric_limits<Bits>::digits - 1; bit >= 0; --bit) {
    std::fill_n(below, flux_frames, Bits(0));
    for (Index r = 0; r < rows; ++r)
      for (Index t = 0; t < flux_frames; ++t)
        below[t] += std::bit_cast<Bits>(values[r * flux_frames + t]) < (found[t] | Bits(1) << bit);
    for (Index t = 0; t < flux_frames; ++t)
      if (below[t] <= rank) found[t] |= Bits(1) << bit;
  }
  if (rows % 2 == 0) {
    // The upper middle is the same value when it repeats, else the next larger one.
    Bits upto[flux_frames] = {}, next[flux_frames];
    std::fill_n(next, flux_frames, std::numeric_limits<Bits>::max());
    for (Index r = 0; r < rows; ++r)
      for (Index t = 0; t < flux_frames; ++t) {
        const Bits value = std::bit_cast<Bits>(values[r * flux_frames + t]);
        upto[t] += value <= found[t];
        next[t] = value > found[t] && value < next[t] ? value : next[t];
      }
    for (Index t = 0; t < count; ++t) {
      const T upper = std::bit_cast<T>(upto[t] > rank + 1 ? found[t] : next[t]);
      out[t] = (std::bit_cast<T>(found[t]) + upper) / 2;
    }
  } else {
    for (Index t = 0; t < count; ++t) out[t] = std::bit_cast<T>(found[t]);
  }
}

}  // namespace

template <class T>
void flux_block(const FluxSource<T>& source, Index first, Index count, FluxAggregate aggregate,
                T* out, Index out_stride) {
  if (aggregate == FluxAggregate::none) {
    for (Index f = 0; f < source.bands; ++f)
      band_flux(source, f, first, count, out + f * out_stride);
    return;
  }
  static thread_local Scratch<T> scratch;
  const bool median = aggregate == FluxAggregate::median;
  T* const flux = scratch.get(static_cast<std::size_t>((median ? source.bands : 1) * flux_frames));
  std::fill_n(flux, (median ? source.bands : 1) * flux_frames, T(0));
  T sums[flux_frames] = {};
  for (Index f = 0; f < source.bands; ++f) {
    T* const row = flux + (median ? f * flux_frames : 0);
    band_flux(source, f, first, count, row);
    for (Index t = 0; t < flux_frames; ++t) sums[t] += row[t];
  }
  if (median) {
    column_medians(flux, source.bands, count, out);
    for (Index t = 0; t < count; ++t)
      if (sums[t] != sums[t]) out[t] = sums[t];
  } else {
    for (Index t = 0; t < count; ++t) out[t] = sums[t] / static_cast<T>(source.bands);
  }
}

template void flux_block(const FluxSource<float>&, Index, Index, FluxAggregate, float*, Index);
template void flux_block(const FluxSource<double>&, Index, Index, FluxAggregate, double*, Index);

template <class T>
void block_dc(const T* x, Index n, double* y) {
  double state = 0;
  for (Index i = 0; i < n; ++i) {
    y[i] = static_cast<double>(x[i]) + state;
    state = 0.99 * y[i] - static_cast<double>(x[i]);
  }
}

template void block_dc(const float*, Index, double*);
template void block_dc(const double*, Index, double*);

}  // namespace metalmom::dsp
