// The kernels of one instruction set as a table of functions, so that code compiled for any
// processor can call them. kernels.cpp is compiled once for each set.
#pragma once

#include "dsp/simd/decisions.hpp"
#include "dsp/simd/fft_plan.hpp"
#include "dsp/simd/isa.hpp"
#include "dsp/simd/lane_plan.hpp"
#include "dsp/simd/mixed_plan.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {

// Frames per block of lanes (frame_transform.hpp).
inline constexpr int n_lanes = 16;

// A dense basis sums the products of every fourth of so many bins before it adds them to the rest.
inline constexpr Index bins_at_once = 512, sums_at_once = 4;

// The weights of a bin of a dense basis lie side by side, filled up with zeros to whole quads.
inline constexpr Index padded_bands(Index n_bands) {
  return (n_bands + 3) / 4 * 4;
}

// Transforms of sizes 2^smallest_log2 and up, for T inside and S outside.
inline constexpr int smallest_log2 = 8, n_sizes = 7;

// Transforms of one frame; null in sets that have no kernel. `table` and `work`: see fft_plan.hpp.
// Transforms of up to 16 frames of any other size: lanes[sample * 16 + i]. `work` has
// mixed_work_size(plan) values. Null where the library is faster.
template <class T, class S>
struct FrameKernels {
  int width = 0;
  // |X|^2, points + 1 values. The window carries a factor 1/2, as for `spectrum`.
  void (*power)(const T* table, const S* samples, const T* window, T* work, S* out) = nullptr;
  // points + 1 pairs (re, im)
  void (*spectrum)(const T* table, const S* samples, const T* window, T* work, S* out) = nullptr;
  // window * inverse transform, 2 * points samples. The window carries 1 / (2 points).
  void (*inverse)(const T* table, const S* bins, const T* window, T* work, T* out) = nullptr;
};

// Up to 16 frames of a size without such kernels, in lanes: lanes[sample * 16 + i]. `work`:
// mixed_work_size(plan). Null where the library is faster.
template <class T, class S>
struct MixedKernels {
  // out[bin * 16 + i] = |X|^2 of the bins as rounded to S; zero from lane `count` on.
  void (*powers)(const MixedPlan<T>& plan, const S* lanes, const T* window, Index count, T* work,
                 S* out) = nullptr;
  // out[2 * bin * 16 + i] = re, out[(2 * bin + 1) * 16 + i] = im
  void (*spectra)(const MixedPlan<T>& plan, const S* lanes, const T* window, Index count, T* work,
                  S* out) = nullptr;
};

// The inverse of `spectra`: out[sample * 16 + i], times the window.
template <class T>
using MixedInverse = void (*)(const MixedPlan<T>& plan, const T* lanes, const T* window,
                              Index count, T* work, T* out);

// Bins [first, last) feed `band` with falling[bin] and band + 1 with rising[bin].
struct Segment {
  Index first, last, band;
};

// Where products of a basis with a block go: out[band * stride + i], i < count <= 16.
template <class T>
struct BandOutput {
  T* out;
  Index stride, count;
};

template <class T>
struct LaneKernels {
  // lanes[bin * 16 + i] = rows[i * stride + bin] for i < count, 0 for the other lanes.
  void (*from_rows)(const T* rows, Index stride, Index count, Index n_bins, T* lanes);
  // The square root of each value times `scale` (`roots` may be `squares`), and each lane's sum of
  // squares, which shows whether squares have left the range of T.
  void (*square_roots)(const T* squares, Index n_bins, T scale, T* roots, T* sums);
  // The largest of at least one value in each lane, NaN where there is one.
  void (*maxima)(const T* lanes, Index n_bins, T* maxima);
  // Bit i of bits[k]: in lane i, bin first + k is above limits[i] and the bin below it, and not
  // below the bin above it, if there is one. first >= 1.
  void (*peaks)(const T* lanes, Index n_bins, Index first, Index count, const T* limits,
                unsigned short* bits);
  // The bands of `segments`, whose numbers rise by at least one from segment to segment.
  void (*overlapping)(const Segment* segments, Index n_segments, const T* falling, const T* rising,
                      const T* lanes, Index n_bands, BandOutput<T> out);
  // `weights` is (n_bins, n_bands): bands are neighbours.
  void (*dense)(const T* weights, Index n_bands, Index n_bins, const T* lanes, BandOutput<T> out);
  // One band, which weighs the bins from `lanes` on.
  void (*row)(const T* weights, Index n_bins, const T* lanes, BandOutput<T> out);
  // out[t] = median of values[r * stride + t] >= 0 over the rows, for t < count, a multiple of 16.
  void (*medians)(const T* values, Index n_rows, Index stride, Index count, T* out);
  // rows[i * stride + bin] = lanes[bin * 16 + i] for i < count.
  void (*to_rows)(const T* lanes, Index n_bins, Index count, T* rows, Index stride);
};

// Autocorrelations of windowed frames: lane_autocorrelation.hpp.
struct LagKernels {
  void (*autocorrelations)(const LanePlan& plan, const double* x, const double* window,
                           Index length, Index count, double* work, double* out, Index stride);
  void (*scaled_sum)(const LanePlan& plan, const double* x, const double* window, Index length,
                     Index count, double smallest, double* work, double* out);
  void (*normalize_to_peak)(double* values, Index n_rows, Index count, Index stride,
                            double smallest);
};

template <class T>
struct MedianKernels {
  // out[r * out_stride + c] = rank size / 2 of in[(r + k) * stride + c], k < size, for r < count
  // and c < 16. `window`: 16 * size values of working memory.
  void (*medians)(const T* in, Index stride, Index size, Index count, T* window, T* out,
                  Index out_stride);
  // |re + i im| of n pairs
  void (*magnitudes)(const T* pairs, Index n, T* out);
  // mask_a = a^p / (a^p + (margin_a b)^p), and the same for b; p is 1 or 2 (squared). `silent`
  // where both are zero.
  void (*masks)(const T* a, const T* b, Index n, T margin_a, T margin_b, T silent, bool squared,
                T* mask_a, T* mask_b);
  // out = pairs * factors, pair by pair
  void (*scale_pairs)(const T* pairs, const T* factors, Index n, T* out);
};

// Sums over the bins of 16 spectra in lane layout: shapes.hpp.
template <class T>
struct ShapeKernels {
  void (*moments)(const T* lanes, Index n_bins, const double* freq, double* total, double* moment);
  // sum of lanes * (freq - centre)^2
  void (*spreads)(const T* lanes, Index n_bins, const double* freq, const double* centre,
                  double* spread);
  // For each lane the number of bins whose running sum is below share * sum.
  void (*bins_below)(const T* lanes, Index n_bins, T share, T* count);
  // The sum of max(floor, lanes or lanes^2), and their product as product * 2^exponent. n_bins <=
  // 1000.
  void (*power_products)(const T* lanes, Index n_bins, bool squared, double floor, double* sum,
                         double* product, double* exponent);
  // The n_tail least and the n_tail greatest rows of each lane, sorted.
  void (*tails)(const T* lanes, Index n_rows, Index n_tail, T* least, T* greatest);
};

// scale ln(max(x, least) + offset) + shift
struct LogScale {
  double least = 0, offset = 0, scale = 1, shift = 0;
};

// Kernels of values side by side.
template <class T>
struct ValueKernels {
  // out = S / (eps + smoothed)^gain, then sqrt(out + bias) - sqrt(bias) if bias > 0.
  void (*gain_control)(const T* S, const double* smoothed, Index count, double gain, double eps,
                       double bias, double* out);
  // Complex numbers as pairs: out = S * unit(rebuilt - factor * previous)
  void (*update_phases)(const T* S, const T* rebuilt, const T* previous, T factor, Index n, T* out);
  // out = S * exp(2 pi i turns), turns in [0, 1]
  void (*phasors)(const double* turns, const T* S, Index n, T* out);
  // out[i] = sum of weights[k] * x[i + k], in double, for i < count
  void (*sliding_sums)(const T* x, const double* weights, Index n_weights, Index count, T* out);
  void (*logarithms)(const T* in, Index count, const LogScale& by, T* out);
  // dsp/decibel.hpp
  T (*levels)(const T* in, Index count, T amin, T ref, bool amplitude, T* out);
  // A frame in double: see dsp/frame_steps.hpp.
  void (*prepare_frame)(const T* samples, Index length, bool remove_mean, double preemphasis,
                        double* out);
};

// The taps of two neighbouring rows of output: which columns of each row of input they read, and
// their weights.
template <class T>
struct LineTaps {
  Index n_rows;
  const Index *first, *count;
  const T* weights;  // pairs, for the upper and the lower row
};

template <class T>
struct StructureKernels {
  // out (2, n_cols) = the larger of `out` and the sums; n_cols is a multiple of 64.
  void (*filter_lines)(const LineTaps<T>& taps, const T* in, Index in_stride, Index n_cols, T* out);
  // out[c] = sum over k < count of weights[k] * rows[which[k] * stride + c], c < width
  void (*weighted_rows)(const T* rows, Index stride, const int32_t* which, const T* weights,
                        Index count, Index width, T* out);
};

struct Kernels {
  const char* compiled_for;  // from the compiler's own macros: shows what really runs
  FrameKernels<float, float> float_frames[n_sizes];
  FrameKernels<double, double> double_frames[n_sizes];
  FrameKernels<double, float> mixed_frames[n_sizes];
  MixedKernels<float, float> float_sizes;
  MixedKernels<double, double> double_sizes;
  MixedKernels<double, float> mixed_sizes;
  MixedInverse<float> float_inverse;
  MixedInverse<double> double_inverse;
  LaneKernels<float> float_lanes;
  LaneKernels<double> double_lanes;
  void (*narrow)(const double* in, Index count, float* out);
  LagKernels lags;
  MedianKernels<float> float_medians;
  MedianKernels<double> double_medians;
  ShapeKernels<float> float_shapes;
  ShapeKernels<double> double_shapes;
  ValueKernels<float> float_values;
  ValueKernels<double> double_values;
  StructureKernels<float> float_structure;
  StructureKernels<double> double_structure;
  // The same as decisions().distances but with fused multiply-adds, which takes half the time. For
  // uses in which no tie has to be decided as in librosa.
  void (*fused_distances)(Metric metric, const PointBlocks& points, double* out, Index stride);
  const DecisionKernels& (*decisions)();
  const TonalKernels& (*tonal)();
};

template <Isa isa>
const Kernels& kernels_of();

}  // namespace metalmom::dsp::simd
