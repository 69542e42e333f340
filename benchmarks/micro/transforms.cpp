// FFTs of one frame, and frames of a signal at overlaps of 50, 75 and 87.5 %.
#include <benchmark/benchmark.h>

#include "dsp/fft.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/library/library_fft.hpp"
#include "input.hpp"

namespace metalmom::bench {
namespace {

template <class T>
void run_forward(benchmark::State& state, const dsp::RealFft<T>& fft) {
  const auto in = noise<T>(fft.size());
  Buffer<std::complex<T>> out(static_cast<std::size_t>(fft.n_bins()));
  for (auto _ : state) {
    fft.forward(in.data(), out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

// What the engine takes for this size: an own kernel on AVX2 and AVX-512, else the library.
template <class T>
void chosen_fft(benchmark::State& state) {
  run_forward<T>(state, *dsp::real_fft<T>(state.range(0)));
}

template <class T>
void library_fft(benchmark::State& state) {
  run_forward<T>(state, *dsp::make_library_fft<T>(state.range(0)));
}

BENCHMARK(chosen_fft<float>)->RangeMultiplier(2)->Range(256, 16384);
BENCHMARK(library_fft<float>)->RangeMultiplier(2)->Range(256, 16384);
BENCHMARK(chosen_fft<double>)->RangeMultiplier(2)->Range(256, 16384);
BENCHMARK(library_fft<double>)->RangeMultiplier(2)->Range(256, 16384);
BENCHMARK(library_fft<float>)->Arg(400)->Arg(1000)->Arg(2187)->Arg(2003);

// Frames one after another, as many as the second argument: 16 stay in the second-level cache, 1024
// of 2048 do not.
template <class T, bool library>
void batched_fft(benchmark::State& state) {
  const Index size = state.range(0), count = state.range(1);
  const auto fft = library ? dsp::make_library_fft<T>(size) : dsp::real_fft<T>(size);
  const auto in = noise<T>(size * count);
  const Index stride = (fft->n_bins() + 7) / 8 * 8;  // each output aligned to 64 bytes
  Buffer<std::complex<T>> out(static_cast<std::size_t>(stride * count));
  for (auto _ : state) {
    for (Index i = 0; i < count; ++i) fft->forward(in.data() + i * size, out.data() + i * stride);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * count);
}

BENCHMARK(batched_fft<float, false>)->ArgsProduct({{512, 2048}, {16, 1024}});
BENCHMARK(batched_fft<float, true>)->ArgsProduct({{512, 2048}, {16, 1024}});

// A second of audio to complex spectra, T the precision of the transform.
template <class T>
void second_of_stft(benchmark::State& state) {
  const Index n_fft = state.range(0), hop = n_fft * state.range(1) / 1000;
  const auto y = noise<float>(sample_rate);
  const auto window = hann(n_fft);
  const auto transform = dsp::frame_transform<T>(n_fft, window);
  const dsp::FrameSource<float> source{y.data(), sample_rate, hop, n_fft, n_fft / 2};
  const Index frames = dsp::count_frames(sample_rate, hop, n_fft, n_fft / 2);
  Buffer<std::complex<float>> bins(static_cast<std::size_t>(frames * transform->n_bins()));
  for (auto _ : state) {
    transform->spectra(source, 0, frames, bins.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * frames);
}

// Frame length and the hop in thousandths of it: overlaps of 50, 75 and 87.5 %.
BENCHMARK(second_of_stft<float>)->ArgsProduct({{512, 2048}, {500, 250, 125}});
BENCHMARK(second_of_stft<double>)->ArgsProduct({{512, 2048}, {500, 250, 125}});

// Window, transform and power of 16 frames into lanes: what bands are summed from.
void power_block(benchmark::State& state) {
  const Index n_fft = state.range(0);
  const auto y = noise<float>(n_fft + 16 * 512);
  const auto window = hann(n_fft);
  const auto transform = dsp::frame_transform<float>(n_fft, window);
  const dsp::FrameSource<float> source{y.data(), n_fft + 16 * 512, 512, n_fft, 0};
  Buffer<float> lanes(static_cast<std::size_t>(transform->n_bins() * dsp::block_frames));
  for (auto _ : state) {
    transform->power_block(source, 0, dsp::block_frames, 2.0F, lanes.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * dsp::block_frames);
}
BENCHMARK(power_block)->Arg(512)->Arg(1024)->Arg(2048)->Arg(4096)->Arg(400);

}  // namespace
}  // namespace metalmom::bench
