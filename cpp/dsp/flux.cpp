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

// A band's flux at one frame.
template <class T>
T flux_at(const FluxSource<T>& s, Index band, Index frame) {
  const Index low = std::max<Index>(0, band - s.max_size / 2);
  const Index high = std::min(s.bands, band - s.max_size / 2 + s.max_size);
  T top = s.reference[low * s.stride + frame];
  for (Index f = low + 1; f < high; ++f) top = larger(top, s.reference[f * s.stride + frame]);
  const T rise = larger(s.levels[band * s.stride + frame + s.lag], s.floor) - larger(top, s.floor);
  return rise < 0 ? T(0) : rise;
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
  if (aggregate == FluxAggregate::mean && count == 1) {
    T sum = 0;
    for (Index f = 0; f < source.bands; ++f) sum += flux_at(source, f, first);
    out[0] = sum / static_cast<T>(source.bands);
    return;
  }
  const bool median = aggregate == FluxAggregate::median;
  const Lent<T> flux((median ? source.bands : 1) * flux_frames);
  // Medians are taken of all frames, so those that are not there must be finite.
  if (median && count < flux_frames)
    std::fill_n(flux.data(), source.bands * flux_frames, T(0));
  T sums[flux_frames] = {};
  for (Index f = 0; f < source.bands; ++f) {
    T* const row = flux + (median ? f * flux_frames : 0);
    band_flux(source, f, first, count, row);
    for (Index t = 0; t < count; ++t) sums[t] += row[t];
  }
  if (median) {
    T medians[flux_frames];
    simd::lane_kernels<T>().medians(flux, source.bands, flux_frames, flux_frames, medians);
    // The median of a frame with NaN is NaN. The kernel does not see it, but the sum does.
    for (Index t = 0; t < count; ++t) out[t] = sums[t] == sums[t] ? medians[t] : sums[t];
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
