#include "dsp/one_pole.hpp"

namespace metalmom::dsp {

template <class T>
void one_pole(const T* x, Index n, double coef, double state, T* out) {
  // Each output needs the one before it, and that chain of multiply-adds takes all the time. So a
  // block is first filtered from a state of zero, which does not depend on the block before; then
  // the state is added, times powers of the coefficient. The chain has one link per block instead
  // of one per sample.
  constexpr int block = 8;
  double powers[block] = {1};
  for (int k = 1; k < block; ++k) powers[k] = coef * powers[k - 1];
  Index i = 0;
  for (; i + block <= n; i += block) {
    double y[block];
    y[0] = static_cast<double>(x[i]);
    for (int k = 1; k < block; ++k) y[k] = static_cast<double>(x[i + k]) + coef * y[k - 1];
    for (int k = 0; k < block; ++k) y[k] += powers[k] * state;
    for (int k = 0; k < block; ++k) out[i + k] = static_cast<T>(y[k]);
    state = coef * y[block - 1];
  }
  for (; i < n; ++i) {
    const double y = static_cast<double>(x[i]) + state;
    out[i] = static_cast<T>(y);
    state = coef * y;
  }
}

template void one_pole(const float*, Index, double, double, float*);
template void one_pole(const double*, Index, double, double, double*);

}  // namespace metalmom::dsp
