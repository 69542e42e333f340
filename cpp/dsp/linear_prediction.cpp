#include "dsp/linear_prediction.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/pace.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/tonal_kernels.hpp"

namespace metalmom::dsp {

// The energy of the errors is updated from order to order. When it falls below this share of the
// energy that was last summed up, it is summed up again.
constexpr double least_share = 0.25;

template <class T>
void linear_prediction(std::span<const T> y, Index order, T* out) {
  const auto& kernels = simd::burg_kernels<T>();
  const Index n = std::ssize(y) - 1;
  const Lent<T> forward(n), backward(n);
  std::copy_n(y.data() + 1, n, forward.data());
  std::copy_n(y.data(), n, backward.data());
  // Errors of order i are forward[i ...] and backward[0 ...]: one less with each order.
  T* f = forward.data();
  T* const b = backward.data();
  const auto square = [](T value) { return static_cast<double>(value) * value; };
  double summed = kernels.dot(f, f, n) + kernels.dot(b, b, n), energy = summed;
  double product = kernels.dot(f, b, n);

  const auto size = static_cast<std::size_t>(order + 1);
  std::vector<double> filter(size), before(size);
  filter[0] = before[0] = 1;
  Pace pace;
  for (Index i = 0; i < order; ++i) {
    pace.did(n);
    const double reflection = -2 * product / (energy + double(std::numeric_limits<T>::min()));
    std::swap(filter, before);
    for (std::size_t j = 1; j <= static_cast<std::size_t>(i + 1); ++j)
      filter[j] = before[j] + reflection * before[static_cast<std::size_t>(i + 1) - j];
    const Index length = n - i;
    product = kernels.reflect(f, b, length, static_cast<T>(reflection));
    energy = (1 - reflection * reflection) * energy - square(b[length - 1]) - square(f[0]);
    ++f;
    // Each update subtracts numbers of about the same size and keeps their rounding error. In a
    // signal that is predicted nearly exactly (a tone, a chirp) only that error would be left.
    if (energy < least_share * summed)
      energy = summed = kernels.dot(f, f, length - 1) + kernels.dot(b, b, length - 1);
  }
  std::transform(filter.begin(), filter.end(), out, [](double c) { return static_cast<T>(c); });
}

template void linear_prediction(std::span<const float>, Index, float*);
template void linear_prediction(std::span<const double>, Index, double*);

}  // namespace metalmom::dsp
