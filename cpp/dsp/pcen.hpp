// Per-channel energy normalisation (Wang, Getreuer, Hughes, Lyon and Saurous 2017).
#pragma once

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

struct PcenParams {
  double b = 0.025;    // coefficient of the smoothing filter
  double gain = 0.98;  // exponent of the smoothed energy
  double bias = 2;     // added before the compression; its power is subtracted afterwards
  double power = 0.5;  // exponent of the compression
  double eps = 1e-6;   // keeps the division from zero

  static constexpr auto fields() {
    return field_list(field("b", &PcenParams::b, Range{0, 1, "between 0 and 1"}),
                      field("gain", &PcenParams::gain, non_negative),
                      field("bias", &PcenParams::bias, non_negative),
                      field("power", &PcenParams::power, non_negative),
                      field("eps", &PcenParams::eps, strictly_positive));
  }
};

// M[t] = (1 - b) M[t - 1] + b x[t] along each of n_rows rows of `count` values. `state` is the
// filter's state (transposed direct form II) before the first value, and then that after the last
// one.
template <class T>
void smooth_energies(const T* x, Index n_rows, Index count, double b, double* state,
                     double* smoothed);

// out = (S / (eps + M)^gain + bias)^power - bias^power, or its limits for a power or bias of zero.
// `out` may be `smoothed`.
template <class T>
void compress_energy(const PcenParams& params, const T* S, const double* smoothed, Index count,
                     double* out);

}  // namespace metalmom::dsp
