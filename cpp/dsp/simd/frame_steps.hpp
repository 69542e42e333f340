// Frames without their mean and pre-emphasised, in double: x[i] - c x[i - 1] - (1 - c) mean. Both
// steps are linear, so a sample is read twice and the mean taken away once. The sum is kept in four
// vectors, since an addition waits four cycles for the one before it.
#pragma once

#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class S>
void prepare_frame(const S* samples, Index length, bool remove_mean, double preemphasis,
                   double* out) {
  constexpr int W = native_width<double>;
  using V = Vec<double, W>;
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
    level = (1 - preemphasis) * (sum / double(length));
  }
  V before = broadcast<double, W>(samples[0]);
  Index i = 0;
  for (; i + W <= length; i += W) {
    const V here = load_as<double, W>(samples + i);
    const V earlier = pick<W>(before, here, [](int l) { return W - 1 + l; });
    store<double, W>(out + i, here - (preemphasis * earlier + level));
    before = here;
  }
  double earlier = before[W - 1];
  for (; i < length; ++i) {
    out[i] = samples[i] - (preemphasis * earlier + level);
    earlier = samples[i];
  }
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
