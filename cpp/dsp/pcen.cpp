#include "dsp/pcen.hpp"

#include <algorithm>
#include <cmath>

#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

namespace {

// A recurrence along each row, whose steps must wait for one another. Several rows are filtered
// side by side to use the waiting time.
template <int rows, class T>
void smooth_rows(const T* x, Index count, double b, double* state, double* smoothed) {
  for (Index i = 0; i < count; ++i)
    for (int row = 0; row < rows; ++row) {
      const double y = b * static_cast<double>(x[row * count + i]) + state[row];
      smoothed[row * count + i] = y;
      state[row] = (1 - b) * y;
    }
}

}  // namespace

template <class T>
void smooth_energies(const T* x, Index n_rows, Index count, double b, double* state,
                     double* smoothed) {
  constexpr int at_once = 8;
  Index row = 0;
  for (; row + at_once <= n_rows; row += at_once) {
    double local[at_once];
    std::copy_n(state + row, at_once, local);
    smooth_rows<at_once>(x + row * count, count, b, local, smoothed + row * count);
    std::copy_n(local, at_once, state + row);
  }
  for (; row < n_rows; ++row)
    smooth_rows<1>(x + row * count, count, b, state + row, smoothed + row * count);
}

template void smooth_energies(const float*, Index, Index, double, double*, double*);
template void smooth_energies(const double*, Index, Index, double, double*, double*);

template <class T>
void compress_energy(const PcenParams& params, const T* S, const double* smoothed, Index count,
                     double* out) {
  const auto [b, gain, bias, power, eps] = params;
  // The usual power 0.5 is done in the same pass, other powers in a second one.
  const bool root = power == 0.5 && bias > 0;
  simd::value_kernels<T>().gain_control(S, smoothed, count, gain, eps, root ? bias : 0.0, out);
  if (root) return;
  if (power == 0) {
    for (Index i = 0; i < count; ++i) out[i] = std::log1p(out[i]);
  } else if (bias == 0) {
    for (Index i = 0; i < count; ++i) out[i] = std::pow(out[i], power);
  } else {
    const double scale = std::pow(bias, power);
    for (Index i = 0; i < count; ++i)
      out[i] = scale * std::expm1(power * std::log1p(out[i] / bias));
  }
}

template void compress_energy(const PcenParams&, const float*, const double*, Index, double*);
template void compress_energy(const PcenParams&, const double*, const double*, Index, double*);

}  // namespace metalmom::dsp
