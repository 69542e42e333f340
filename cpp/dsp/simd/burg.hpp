// Steps of Burg's method of linear prediction (Burg 1975; Marple, Digital Spectral Analysis, 1987,
// chapter 8): the forward and backward errors of all samples, one order higher.
//
// Errors are two rows of n values of T, updated in place. A step needs two things: new errors,
// which are a multiply-add a sample, and the sum of products of the new errors one sample apart,
// which gives the next coefficient. Both rows leave the first cache for usual n, so the sum follows
// the update in blocks of 1024 samples, while they are still there: a pass over memory less.
//
// Sums run in double, whatever T, in two vectors, since an addition waits for the one before it.
// Coefficients are quotients of these sums, and errors of T in them would grow with the order.
#pragma once

#include "dsp/simd/tonal.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// Sum of a[i] * b[i] in double.
template <class T>
double dot(const T* a, const T* b, Index n) {
  constexpr int W = native_width<double>;
  using D = Vec<double, W>;
  D even = {}, odd = {};
  Index i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    even += load_as<double, W>(a + i) * load_as<double, W>(b + i);
    odd += load_as<double, W>(a + i + W) * load_as<double, W>(b + i + W);
  }
  even += odd;
  double sum = 0;
  for (int lane = 0; lane < W; ++lane) sum += even[lane];
  for (; i < n; ++i) sum += double(a[i]) * double(b[i]);
  return sum;
}

template <class T>
double reflect(T* forward, T* backward, Index n, T coefficient) {
  // Samples of a block: their new errors are multiplied while they are in the first-level cache.
  constexpr Index block = 1024;
  double sum = 0;
  for (Index begin = 0; begin < n; begin += block) {
    const Index end = begin + block < n ? begin + block : n;
    for (Index i = begin; i < end; ++i) {
      const T f = forward[i], b = backward[i];
      forward[i] = f + coefficient * b;
      backward[i] = b + coefficient * f;
    }
    const Index first = begin ? begin : 1;
    sum += dot(forward + first, backward + first - 1, end - first);
  }
  return sum;
}

}  // namespace
}  // namespace metalmom::dsp::simd
