#include "dsp/dct.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace metalmom::dsp {
namespace {

// cos(pi * numerator / denominator), with the angle reduced exactly first: products of indices are
// large, and pi is not exact.
double cos_pi(Index numerator, Index denominator) {
  const Index reduced = numerator % (2 * denominator);
  return std::cos(std::numbers::pi * static_cast<double>(reduced) /
                  static_cast<double>(denominator));
}

// Entry (k, i) with norm "backward": X[k] = sum of entry(k, i) x[i].
double entry(int type, Index n, Index k, Index i) {
  switch (type) {
    case 1:
      return (i == 0 || i == n - 1 ? 1 : 2) * cos_pi(k * i, n - 1);
    case 2:
      return 2 * cos_pi(k * (2 * i + 1), 2 * n);
    case 3:
      return i == 0 ? 1 : 2 * cos_pi((2 * k + 1) * i, 2 * n);
    default:
      return 2 * cos_pi((2 * k + 1) * (2 * i + 1), 4 * n);
  }
}

// The factors that make the matrix orthonormal: a common scale, and sqrt(2) at the ends.
double ortho_factor(int type, Index n, Index k, Index i) {
  const double half = std::numbers::sqrt2 / 2, two = std::numbers::sqrt2;
  const bool output_end = k == 0 || (type == 1 && k == n - 1);
  const bool input_end = i == 0 || (type == 1 && i == n - 1);
  double factor = 1 / std::sqrt(2.0 * static_cast<double>(type == 1 ? n - 1 : n));
  if (type <= 2 && output_end) factor *= half;
  if ((type == 1 || type == 3) && input_end) factor *= two;
  return factor;
}

}  // namespace

Buffer<double> dct_matrix(int type, DctNorm norm, Index n_in, Index n_out) {
  require(type >= 1 && type <= 4, "dct_type", type, "1, 2, 3 or 4");
  require(type != 1 || n_in >= 2, "n", n_in, "at least 2 for dct_type=1");
  const double length = 2.0 * static_cast<double>(type == 1 ? n_in - 1 : n_in);
  Buffer<double> matrix(static_cast<std::size_t>(n_in * n_out));
  for (Index k = 0; k < n_out; ++k)
    for (Index i = 0; i < n_in; ++i) {
      double value = entry(type, n_in, k, i);
      if (norm == DctNorm::ortho) value *= ortho_factor(type, n_in, k, i);
      if (norm == DctNorm::forward) value /= length;
      matrix.data()[k * n_in + i] = value;
    }
  return matrix;
}

}  // namespace metalmom::dsp
