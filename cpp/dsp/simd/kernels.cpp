// Compiled once per instruction set, with its flags; what the compiler was told decides the widths.
#include "dsp/simd/kernels.hpp"

#include "dsp/simd/distances.hpp"
#include "dsp/simd/energies.hpp"
#include "dsp/simd/frame_steps.hpp"
#include "dsp/simd/inverse_fft.hpp"
#include "dsp/simd/lane_autocorrelation.hpp"
#include "dsp/simd/lanes.hpp"
#include "dsp/simd/levels.hpp"
#include "dsp/simd/line_filter.hpp"
#include "dsp/simd/logarithms.hpp"
#include "dsp/simd/masks.hpp"
#include "dsp/simd/medians.hpp"
#include "dsp/simd/mixed_fft.hpp"
#include "dsp/simd/phases.hpp"
#include "dsp/simd/shapes.hpp"
#include "dsp/simd/sliding_medians.hpp"
#include "dsp/simd/sliding_sums.hpp"
#include "dsp/simd/weighted_rows.hpp"

namespace metalmom::dsp::simd {
namespace {

// The widest vectors that a transform of `points` fills.
template <class T>
constexpr int width_for(Index points) {
  int width = native_width<T>;
  while (smallest_points(width) > points) width /= 2;
  return width;
}

template <class T, class S, Index points>
constexpr FrameKernels<T, S> frame_kernels() {
  constexpr int W = width_for<T>(points);
  // Below four lanes (double without AVX2) the FFT library is faster.
  if constexpr (W < 4)
    return {};
  else
    return {W, power_spectrum<T, W, points, S>, complex_spectrum<T, W, points, S>,
            inverse_spectrum<T, W, points, S>};
}

template <class T, class S, int i = 0>
constexpr void fill_frames(FrameKernels<T, S>* frames) {
  if constexpr (i < n_sizes) {
    frames[i] = frame_kernels<T, S, (Index(1) << (smallest_log2 + i)) / 2>();
    fill_frames<T, S, i + 1>(frames);
  }
}

template <class T, class S>
constexpr MixedKernels<T, S> mixed_kernels() {
  if constexpr (native_width<T> < 4)
    return {};
  else
    return {mixed_powers<T, S>, mixed_spectra<T, S>};
}

template <class T>
constexpr MixedInverse<T> mixed_inverse_kernel() {
  if constexpr (native_width<T> < 4)
    return nullptr;
  else
    return mixed_inverse<T>;
}

template <class T>
constexpr LaneKernels<T> lane_kernels() {
  return {.from_rows = lanes_from_rows<T>,
          .square_roots = square_roots<T>,
          .maxima = lane_maxima<T>,
          .peaks = peak_bits<T>,
          .overlapping = overlapping_bands<T>,
          .dense = dense_product<T>,
          .row = row_product<T>,
          .medians = column_medians<T>,
          .to_rows = lanes_to_rows<T>};
}

template <class T>
constexpr MedianKernels<T> median_kernels() {
  return {sliding_medians<T>, magnitudes<T>, soft_masks<T>, scale_pairs<T>};
}

template <class T>
constexpr ShapeKernels<T> shape_kernels() {
  return {lane_moments<T>, lane_spreads<T>, bins_below<T>, power_products<T>, sorted_tails<T>};
}

template <class T>
constexpr ValueKernels<T> value_kernels() {
  return {gain_control<T>, update_phases<T>, phasors<T>,      sliding_sums<T>,
          logarithms<T>,   levels<T>,        prepare_frame<T>};
}

constexpr Kernels make_kernels() {
  Kernels kernels = {};
  kernels.compiled_for = this_name;
  fill_frames(kernels.float_frames);
  fill_frames(kernels.double_frames);
  fill_frames(kernels.mixed_frames);
  kernels.float_sizes = mixed_kernels<float, float>();
  kernels.double_sizes = mixed_kernels<double, double>();
  kernels.mixed_sizes = mixed_kernels<double, float>();
  kernels.float_inverse = mixed_inverse_kernel<float>();
  kernels.double_inverse = mixed_inverse_kernel<double>();
  kernels.float_lanes = lane_kernels<float>();
  kernels.double_lanes = lane_kernels<double>();
  kernels.narrow = narrow;
  kernels.lags = {lane_autocorrelations, scaled_autocorrelation_sum, normalize_to_peak};
  kernels.float_medians = median_kernels<float>();
  kernels.double_medians = median_kernels<double>();
  kernels.float_shapes = shape_kernels<float>();
  kernels.double_shapes = shape_kernels<double>();
  kernels.float_values = value_kernels<float>();
  kernels.double_values = value_kernels<double>();
  kernels.float_structure = {filter_lines<float>, weighted_rows<float>};
  kernels.double_structure = {filter_lines<double>, weighted_rows<double>};
  kernels.fused_distances = distances;
  kernels.decisions = decisions_of<this_isa>;
  kernels.tonal = tonal_of<this_isa>;
  return kernels;
}

constexpr Kernels these_kernels = make_kernels();

}  // namespace

template <>
const Kernels& kernels_of<this_isa>() {
  return these_kernels;
}

}  // namespace metalmom::dsp::simd
