// Bands and DCT of a block of 16 frames.
#include <benchmark/benchmark.h>

#include "dsp/bands.hpp"
#include "dsp/bases.hpp"
#include "dsp/dct.hpp"
#include "dsp/frame_transform.hpp"
#include "input.hpp"

namespace metalmom::bench {
namespace {

template <class T>
void run_bands(benchmark::State& state, const dsp::Basis& basis) {
  const auto lanes = noise<T>(basis.n_bins() * dsp::block_frames);
  Buffer<T> out(static_cast<std::size_t>(basis.n_bands() * dsp::block_frames));
  for (auto _ : state) {
    dsp::apply_bands(basis, static_cast<const T*>(lanes.data()), dsp::block_frames, out.data(),
                     dsp::block_frames);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * dsp::block_frames);
}

template <class T>
void mel_of_16_frames(benchmark::State& state) {
  dsp::MelFilters filters;
  filters.n_mels = state.range(0);
  const auto dense = dsp::make_mel_filters(filters);
  run_bands<T>(state, {dense.values.data(), dense.rows, dense.cols});
}
BENCHMARK(mel_of_16_frames<float>)->Arg(40)->Arg(128);
BENCHMARK(mel_of_16_frames<double>)->Arg(128);

template <class T>
void chroma_of_16_frames(benchmark::State& state) {
  const auto dense = dsp::make_chroma_filters({});
  run_bands<T>(state, {dense.values.data(), dense.rows, dense.cols});
}
BENCHMARK(chroma_of_16_frames<float>);

void dct_of_16_frames(benchmark::State& state) {
  const Index n_mels = state.range(0), n_mfcc = state.range(1);
  const auto matrix = dsp::dct_matrix(2, dsp::DctNorm::ortho, n_mels, n_mfcc);
  run_bands<float>(state, {matrix.data(), n_mfcc, n_mels});
}
BENCHMARK(dct_of_16_frames)->Args({128, 13})->Args({128, 20})->Args({40, 40});

}  // namespace
}  // namespace metalmom::bench
