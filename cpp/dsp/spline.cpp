#include "dsp/spline.hpp"

#include <algorithm>
#include <cmath>

#include "base/pace.hpp"
#include "base/workspace.hpp"

namespace metalmom::dsp {
namespace {

// Second derivatives m at the samples. Inside they satisfy m[i-1] + 4 m[i] + m[i+1] = 6 (y[i-1] - 2
// y[i] + y[i+1]). At the second and the last but one sample the third derivative does not jump, so
// m[i] is the mean of its neighbours, and the left side is just 6 m[i].
void second_derivatives(std::span<const double> y, double* m, double* ratio) {
  const Index n = std::ssize(y);
  const auto right_side = [&](Index i) {
    const double* const at = y.data() + i;
    return 6 * (at[-1] - 2 * at[0] + at[1]);
  };
  m[1] = right_side(1) / 6;
  m[n - 2] = right_side(n - 2) / 6;
  // Elimination downwards: m[i] = m[i] - ratio[i] m[i+1].
  ratio[1] = 0;
  for (Index i = 2; i < n - 2; ++i) {
    ratio[i] = 1 / (4 - ratio[i - 1]);
    m[i] = (right_side(i) - m[i - 1]) * ratio[i];
  }
  for (Index i = n - 3; i > 1; --i) m[i] -= ratio[i] * m[i + 1];
  m[0] = 2 * m[1] - m[2];
  m[n - 1] = 2 * m[n - 2] - m[n - 3];
}

}  // namespace

void spline_values(std::span<const double> y, std::span<const double> positions, double* out) {
  const Index n = std::ssize(y);
  const Lent<double> m(n), ratio(n);
  second_derivatives(y, m, ratio);
  Pace pace;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    pace.did(1);
    const Index i = std::clamp<Index>(static_cast<Index>(positions[k]), 0, n - 2);
    const double* const at = y.data() + i;
    const double t = positions[k] - static_cast<double>(i), rest = 1 - t;
    out[k] = rest * at[0] + t * at[1] - t * rest / 6 * ((1 + rest) * m[i] + (1 + t) * m[i + 1]);
  }
}

}  // namespace metalmom::dsp
