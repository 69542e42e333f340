// Frames without their mean and pre-emphasised, in double: x[i] - c x[i - 1] - (1 - c) mean. Both steps
// are linear, so a sample is read twice and the mean taken away once. The sum is kept in four vectors,
// since an addition waits four cycles for the one before it.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class S>
void prepare_frame(const S* samples, Index length, bool remove_mean, double preemphasis,
                   double* out) {
  constexpr int W = native_width<double>;
  using V = Vec<double, W>;
  const double kept = 1 - preemphasis;
  double level = 0;
  if (remove_mean) {
    V sums[4] = {};
    Index i = 0;
    for (; i + 4 * W <= length; i += 4 * W)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sums[k] += load_as<double, W>(samples + i + k * W);
    const V total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double sum = 0;
    for (int lane = 0; lane < W; ++lane) sum += total[lane];
    for (; i < length; ++i) sum += samples[i];
    level = kept * (sum / double(length));
  }
  out[0] = kept * samples[0] - level;
  Index i = 1;
  for (; i + W <= length; i += W)
    store<double, W>(out + i, load_as<double, W>(samples + i) -
                                  (preemphasis * load_as<double, W>(samples + i - 1) + level));
  for (; i < length; ++i) out[i] = samples[i] - (preemphasis * samples[i - 1] + level);
}

// Doubles rounded to floats.
void narrow(const double* in, Index count, float* out) {
  constexpr int W = native_width<double>;
  Index i = 0;
  for (; i + W <= count; i += W)
    store<float, W>(out + i, converted<float, W>(load<double, W>(in + i)));
  for (; i < count; ++i) out[i] = float(in[i]);
}

}  // namespace
}  // namespace metalmom::dsp::simd
