// Deterministic signals and naive references shared by the tests of dsp.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"

namespace metalmom::dsp::test {

// What typed tests of both precisions run for.
using Precisions = ::testing::Types<float, double>;

// Values in [-1, 1) from a linear congruential generator.
template <class T>
Buffer<T> noise(Index size, std::uint64_t seed = 1) {
  Buffer<T> values(static_cast<std::size_t>(size));
  for (T& value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<T>(static_cast<double>(seed >> 40) / (1 << 23) - 1);
  }
  return values;
}

// The definition of the transform, in long double.
template <class T>
std::vector<std::complex<double>> naive_dft(const T* x, Index size) {
  std::vector<std::complex<long double>> roots;
  for (Index i = 0; i < size; ++i)
    roots.push_back(
        std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(i) /
                             static_cast<long double>(size)));
  std::vector<std::complex<double>> bins;
  for (Index k = 0; k <= size / 2; ++k) {
    std::complex<long double> sum = 0;
    for (Index i = 0; i < size; ++i)
      sum += static_cast<long double>(x[i]) * roots[static_cast<std::size_t>(k * i % size)];
    bins.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
  }
  return bins;
}

inline std::vector<double> hann(Index length) {
  std::vector<double> window;
  for (Index i = 0; i < length; ++i)
    window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) /
                                          static_cast<double>(length)));
  return window;
}

}  // namespace metalmom::dsp::test
