// Gain control of energies (pcen; Wang et al. 2017, "Trainable frontend for robust and far-field
// keyword spotting"): S / (eps + M)^gain, then the root with a bias.
//
// Value by value, in vectors of doubles: M is a smoothed energy that covers many decades, and its
// power is exp(-gain log(eps + M)), both written out because those of libm are calls a value. The
// root's difference sqrt(x + b) - sqrt(b) is computed as b^(1/2) r / (sqrt(r + 1) + 1) with r = x /
// b: near silence the two roots agree in most digits, and their difference would be noise.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/log.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

// As the series of log.hpp.
constexpr double exp_series[] = {  // (e^r - 1 - r) / r^2 in r, |r| < 0.3466
    0.5000000000000001,     0.16666666666666669,    0.04166666666662412,   0.00833333333332995,
    0.0013888888917214027,  0.00019841269863383562, 2.480152129687312e-05, 2.755726808932256e-06,
    2.7620087561653225e-07, 2.510052611094429e-08};

// e^x for |x| < 700, within 2 ulp.
template <int W>
[[gnu::always_inline]] inline Vec<double, W> exp_of(Vec<double, W> x) {
  using V = Vec<double, W>;
  using Bits = Vec<uint64_t, W>;
  constexpr double shifter = 0x1.8p52;
  const V shifted = x * 1.4426950408889634 + shifter;
  const V n = shifted - shifter;
  const V r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
  const V p = polynomial(exp_series, r) * r * r + r + 1.0;
  return p * (V)(((Bits)shifted + 1023) << 52);
}

// out = S / (eps + smoothed)^gain, then, with a bias, sqrt(out + bias) - sqrt(bias) without the
// cancellation. `out` may be `smoothed`.
template <class T>
void gain_control(const T* S, const double* smoothed, Index count, double gain, double eps,
                  double bias, double* out) {
  constexpr int W = native_width<double>;
  using V = Vec<double, W>;
  const double root = __builtin_sqrt(bias), per_bias = bias > 0 ? 1 / bias : 0;
  const auto energies = [=](V energy, V level) __attribute__((always_inline)) {
    const V gained = energy * exp_of<W>(-gain * log_of<W>(level + eps));
    if (bias == 0) return gained;
    const V ratio = gained * per_bias;
    return root * (ratio / (square_root(ratio + 1.0) + 1.0));
  };
  Index i = 0;
  for (; i + W <= count; i += W)
    store<double, W>(out + i, energies(load_as<double, W>(S + i), load<double, W>(smoothed + i)));
  if (i == count) return;
  V energy = {}, level = {};
  for (Index k = 0; i + k < count; ++k) energy[k] = S[i + k], level[k] = smoothed[i + k];
  const V rest = energies(energy, level);
  for (Index k = 0; i + k < count; ++k) out[i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
