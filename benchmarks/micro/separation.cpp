// Medians, masks and spectral shapes of a block of 16 frames.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "dsp/hpss.hpp"
#include "dsp/spectral_shape.hpp"
#include "input.hpp"

namespace metalmom::bench {
namespace {

constexpr Index n_bins = 1025, block = 16;

template <class T>
Buffer<T> magnitudes(Index size) {
  auto values = noise<T>(size);
  for (T& each : values) each = std::abs(each);
  return values;
}

// Both medians of each bin, windows of state.range(0) frames and bins.
template <class T>
void cross_medians_of_16_frames(benchmark::State& state) {
  const Index size = state.range(0), n_frames = 1 << 20;
  const auto row = magnitudes<T>(n_bins);
  dsp::CrossMedians<T> medians;
  medians.start(n_frames, n_bins, size, size, false);
  Index first = 0;
  for (auto _ : state) {
    medians.advance(first, block, [&](Index i, T* to, T*) {
      std::rotate_copy(row.begin(), row.begin() + i % n_bins, row.end(), to);
    });
    first = (first + block) % n_frames;
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * block);
}
BENCHMARK(cross_medians_of_16_frames<float>)->Arg(31)->Arg(30)->Arg(13)->Arg(63);
BENCHMARK(cross_medians_of_16_frames<double>)->Arg(31);

// By power: 2 has a kernel, 3 has not.
void masks_of_16_frames(benchmark::State& state) {
  const auto harmonic = magnitudes<float>(block * n_bins);
  const auto percussive = magnitudes<float>(2 * block * n_bins);
  Buffer<float> masks(static_cast<std::size_t>(2 * block * n_bins));
  const dsp::HpssParams params{.power = static_cast<double>(state.range(0))};
  for (auto _ : state) {
    dsp::hpss_masks<float>(params, harmonic.data(), percussive.data() + block * n_bins,
                           block * n_bins, masks.data(), masks.data() + block * n_bins);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * block);
}
BENCHMARK(masks_of_16_frames)->Arg(2)->Arg(3);

template <dsp::Shape shape>
void shape_of_16_frames(benchmark::State& state) {
  const auto lanes = magnitudes<float>(block * n_bins);
  std::vector<double> freq(n_bins);
  for (std::size_t i = 0; i < freq.size(); ++i) freq[i] = 10.8 * static_cast<double>(i);
  double out[block];
  for (auto _ : state) {
    dsp::spectral_shape<float>({.shape = shape}, freq, lanes.data(), block, nullptr, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * block);
}
BENCHMARK(shape_of_16_frames<dsp::Shape::centroid>);
BENCHMARK(shape_of_16_frames<dsp::Shape::bandwidth>);
BENCHMARK(shape_of_16_frames<dsp::Shape::rolloff>);
BENCHMARK(shape_of_16_frames<dsp::Shape::flatness>);

}  // namespace
}  // namespace metalmom::bench
