// What the benchmarks are fed: noise, the same every time.
#pragma once

#include <complex>
#include <random>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/windows.hpp"

namespace metalmom::bench {

inline constexpr Index sample_rate = 22050;

template <class T>
Buffer<T> noise(Index size) {
  std::mt19937 generator(1);
  std::normal_distribution<T> normal(0, T(0.1));
  Buffer<T> values(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) values.data()[i] = normal(generator);
  return values;
}

inline std::vector<double> hann(Index size) {
  std::vector<double> window(static_cast<std::size_t>(size));
  dsp::fill_window(dsp::WindowShape::hann, 0, true, window);
  return window;
}

}  // namespace metalmom::bench
