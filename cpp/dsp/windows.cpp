#include "dsp/windows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

#include "base/pace.hpp"

namespace metalmom::dsp {
namespace {

using std::numbers::pi;

constexpr std::pair<std::string_view, WindowShape> shape_names[] = {
    {"barthann", WindowShape::barthann},
    {"brthan", WindowShape::barthann},
    {"bth", WindowShape::barthann},
    {"bartlett", WindowShape::bartlett},
    {"bart", WindowShape::bartlett},
    {"brt", WindowShape::bartlett},
    {"blackman", WindowShape::blackman},
    {"black", WindowShape::blackman},
    {"blk", WindowShape::blackman},
    {"blackmanharris", WindowShape::blackmanharris},
    {"blackharr", WindowShape::blackmanharris},
    {"bkh", WindowShape::blackmanharris},
    {"bohman", WindowShape::bohman},
    {"bman", WindowShape::bohman},
    {"bmn", WindowShape::bohman},
    {"boxcar", WindowShape::boxcar},
    {"box", WindowShape::boxcar},
    {"ones", WindowShape::boxcar},
    {"rect", WindowShape::boxcar},
    {"rectangular", WindowShape::boxcar},
    {"cosine", WindowShape::cosine},
    {"halfcosine", WindowShape::cosine},
    {"flattop", WindowShape::flattop},
    {"flat", WindowShape::flattop},
    {"flt", WindowShape::flattop},
    {"gaussian", WindowShape::gaussian},
    {"gauss", WindowShape::gaussian},
    {"gss", WindowShape::gaussian},
    {"hamming", WindowShape::hamming},
    {"hamm", WindowShape::hamming},
    {"ham", WindowShape::hamming},
    {"hann", WindowShape::hann},
    {"han", WindowShape::hann},
    {"kaiser", WindowShape::kaiser},
    {"ksr", WindowShape::kaiser},
    {"nuttall", WindowShape::nuttall},
    {"nutl", WindowShape::nuttall},
    {"nut", WindowShape::nuttall},
    {"parzen", WindowShape::parzen},
    {"parz", WindowShape::parzen},
    {"par", WindowShape::parzen},
    {"triang", WindowShape::triang},
    {"triangle", WindowShape::triang},
    {"tri", WindowShape::triang},
};

// Modified Bessel function I0 by its power series, whose terms are all positive. Extended
// precision keeps the rounding of hundreds of terms below a double's.
long double bessel_i0(long double x) {
  const long double quarter = x * x / 4;
  long double term = 1, sum = 1;
  for (long double k = 1; term > sum * 1e-20L; ++k) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

// Point i of `size` evenly spaced ones from -limit to limit, rounded as numpy.linspace does it.
double spaced(double limit, Index i, Index size) {
  if (i == size - 1) return limit;
  return static_cast<double>(i) * (2 * limit / static_cast<double>(size - 1)) - limit;
}

double cosine_sum(std::initializer_list<double> weights, Index i, Index size) {
  const double phase = spaced(pi, i, size);
  double sum = 0, k = 0;
  for (const double weight : weights) sum += weight * std::cos(k++ * phase);
  return sum;
}

double parzen(double distance, double size) {  // distance from the centre
  const double x = distance / (size / 2);
  if (distance <= (size - 1) / 4) return 1 - 6 * x * x + 6 * x * x * x;
  return 2 * (1 - x) * (1 - x) * (1 - x);
}

double bohman(Index i, Index size) {
  if (i == 0 || i == size - 1) return 0;
  const double x = std::abs(spaced(1, i, size));
  return (1 - x) * std::cos(pi * x) + 1 / pi * std::sin(pi * x);
}

double triang(Index i, Index size) {
  const double n = static_cast<double>(std::min(i, size - 1 - i) + 1);
  const double m = static_cast<double>(size);
  return size % 2 ? 2 * n / (m + 1) : (2 * n - 1) / m;
}

// Sample i of the symmetric window of `size` >= 2 samples. `scale` depends on shape and parameter
// alone and is computed once for all samples.
double sample(WindowShape shape, double parameter, long double scale, Index i, Index size) {
  const double n = static_cast<double>(i), m = static_cast<double>(size), half = (m - 1) / 2;
  switch (shape) {
    case WindowShape::barthann: {
      const double x = std::abs(n / (m - 1) - 0.5);
      return 0.62 - 0.48 * x + 0.38 * std::cos(2 * pi * x);
    }
    case WindowShape::bartlett:
      return n <= half ? 2 * n / (m - 1) : 2 - 2 * n / (m - 1);
    case WindowShape::blackman:
      return cosine_sum({0.42, 0.5, 0.08}, i, size);
    case WindowShape::blackmanharris:
      return cosine_sum({0.35875, 0.48829, 0.14128, 0.01168}, i, size);
    case WindowShape::bohman:
      return bohman(i, size);
    case WindowShape::boxcar:
      return 1;
    case WindowShape::cosine:
      return std::sin(pi / m * (n + 0.5));
    case WindowShape::flattop:
      return cosine_sum({0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}, i, size);
    case WindowShape::gaussian:
      return std::exp(-(n - half) * (n - half) / static_cast<double>(scale));
    case WindowShape::hamming:
      return cosine_sum({0.54, 1 - 0.54}, i, size);
    case WindowShape::hann:
      return cosine_sum({0.5, 0.5}, i, size);
    case WindowShape::kaiser: {
      const double x = (n - half) / half;
      return static_cast<double>(bessel_i0(parameter * std::sqrt(1 - x * x)) / scale);
    }
    case WindowShape::nuttall:
      return cosine_sum({0.3635819, 0.4891775, 0.1365995, 0.0106411}, i, size);
    case WindowShape::parzen:
      return parzen(std::abs(n - half), m);
    case WindowShape::triang:
      return triang(i, size);
  }
  return 0;
}

}  // namespace

std::optional<WindowShape> window_shape(std::string_view name) {
  for (const auto& [known, shape] : shape_names)
    if (known == name) return shape;
  return std::nullopt;
}

bool has_parameter(WindowShape shape) {
  return shape == WindowShape::kaiser || shape == WindowShape::gaussian;
}

void fill_window(WindowShape shape, double parameter, bool periodic, std::span<double> window) {
  if (window.size() <= 1) {
    std::ranges::fill(window, 1.0);
    return;
  }
  const Index size = static_cast<Index>(window.size()) + (periodic ? 1 : 0);
  long double scale = 1;  // I0 of a large beta exceeds the range of double
  if (shape == WindowShape::kaiser) scale = bessel_i0(parameter);
  if (shape == WindowShape::gaussian) scale = 2 * parameter * parameter;
  Pace pace;
  for (std::size_t i = 0; i < window.size(); ++i) {
    window[i] = sample(shape, parameter, scale, static_cast<Index>(i), size);
    pace.did(16);
  }
}

template <class T>
void add_windows(std::span<const double> squared, Index n_frames, Index hop_length,
                 std::span<T> sums) {
  const auto size = static_cast<Index>(sums.size());
  Pace pace;
  for (Index frame = 0; frame < n_frames && frame * hop_length < size; ++frame) {
    T* out = sums.data() + frame * hop_length;
    const Index count = std::min(static_cast<Index>(squared.size()), size - frame * hop_length);
    for (Index i = 0; i < count; ++i)
      out[i] = static_cast<T>(static_cast<double>(out[i]) + squared[static_cast<std::size_t>(i)]);
    pace.did(count);
  }
}

template void add_windows(std::span<const double>, Index, Index, std::span<float>);
template void add_windows(std::span<const double>, Index, Index, std::span<double>);

}  // namespace metalmom::dsp
