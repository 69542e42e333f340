#include "dsp/flux.hpp"

#include <algorithm>

#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

namespace {

// The larger of two; NaN wins from either side, as in NumPy's maximum.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

// One band's flux for a block of frames.
template <class T>
void band_flux(const FluxSource<T>& s, Index band, Index first, Index count, T* flux) {
  const T* levels = s.levels + band * s.stride + first + s.lag;
  // Beyond the edges the maximum filter would read mirrored neighbours, which change no maximum.
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
    const T rise = larger(levels[t], s.floor) - larger(reference[t], s.floor);
    flux[t] = rise < 0 ? T(0) : rise;
  }
}

// The sum over bands is made of so many, of every sixteenth band each, so that those of one frame
// can be made side by side.
constexpr Index n_sums = 16;

// rows[0][t] = the sum of all rows, for t < count.
template <class T, Index size>
void add_rows(T (&rows)[n_sums][size], Index count) {
  for (Index half = n_sums / 2; half > 0; half /= 2)
    for (Index r = 0; r < half; ++r)
      for (Index t = 0; t < count; ++t) rows[r][t] += rows[r + half][t];
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
  const bool median = aggregate == FluxAggregate::median;
  const Lent<T> flux((median ? source.bands : 1) * flux_frames);
  // Medians are taken of all frames, so those that are not there must be finite.
  if (median && count < flux_frames) std::fill_n(flux.data(), source.bands * flux_frames, T(0));
  T sums[n_sums][flux_frames];
  for (auto& each : sums) std::fill_n(each, count, T(0));
  for (Index f = 0; f < source.bands; ++f) {
    T* const row = flux + (median ? f * flux_frames : 0);
    T* const sum = sums[f % n_sums];
    band_flux(source, f, first, count, row);
    for (Index t = 0; t < count; ++t) sum[t] += row[t];
  }
  add_rows(sums, count);
  const T* const sum = sums[0];
  if (median) {
    T medians[flux_frames];
    simd::lane_kernels<T>().medians(flux, source.bands, flux_frames, flux_frames, medians);
    // The median of a frame with NaN is NaN. The kernel does not see it, but the sum does.
    for (Index t = 0; t < count; ++t) out[t] = sum[t] == sum[t] ? medians[t] : sum[t];
  } else {
    for (Index t = 0; t < count; ++t) out[t] = sum[t] / static_cast<T>(source.bands);
  }
}

template <class T>
T mean_flux(const T* levels, const T* reference, Index bands) {
  T sums[n_sums][1] = {};
  const auto add = [&](Index f, Index count) {
    for (Index i = 0; i < count; ++i) {
      const T rise = levels[f + i] - reference[f + i];
      sums[i][0] += rise < 0 ? T(0) : rise;
    }
  };
  Index f = 0;
  for (; f + n_sums <= bands; f += n_sums) add(f, n_sums);
  add(f, bands - f);
  add_rows(sums, 1);
  return sums[0][0] / static_cast<T>(bands);
}

template float mean_flux(const float*, const float*, Index);
template double mean_flux(const double*, const double*, Index);

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
