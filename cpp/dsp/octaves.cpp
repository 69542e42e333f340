#include "dsp/octaves.hpp"

#include <algorithm>
#include <utility>

#include "dsp/frame_work.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index lanes_per_block = simd::n_lanes;

// The samples of a block of frames and the distance between frames: in the signal itself, or
// gathered into `rows` if a frame reaches over an edge.
template <class T>
std::pair<const T*, Index> frame_rows(const FrameSource<T>& source, Index first, Index count,
                                      T* rows) {
  const T* const begin = frame_in_place(source, first);
  if (begin && frame_in_place(source, first + count - 1)) return {begin, source.hop_length};
  const Index stride = row_stride(source.n_fft);
  for (Index i = 0; i < count; ++i) gather_frame(source, first + i, rows + i * stride);
  return {rows, stride};
}

}  // namespace

Index OctaveBank::n_fft(const Octave& octave) const {
  if (synthesis) return octave.filters.front()->n_bands();
  Index samples = 0;
  for (const auto& piece : octave.filters) samples += piece->n_bins();
  return samples;
}

Index OctaveBank::work_size() const {
  Index size = 0;
  for (const Octave& octave : octaves)
    size = std::max(size, row_stride(n_fft(octave)) + 4 * bins_of(octave) +
                              (synthesis ? n_fft(octave) : octave.filters.front()->n_bins()));
  return size * lanes_per_block;
}

template <class T>
void analyse_block(const OctaveBank& bank, const Octave& octave, const FrameSource<T>& source,
                   Index first, Index count, T* work, std::complex<T>* out, Index stride) {
  const Index n_values = 2 * bank.bins_of(octave), values_size = n_values * lanes_per_block;
  T* const sums = work;
  T* const values = sums + values_size;
  T* const lanes = values + values_size;
  const auto [rows, row_step] =
      frame_rows(source, first, count, lanes + octave.filters.front()->n_bins() * lanes_per_block);
  Index at = 0;
  for (const auto& piece : octave.filters) {
    simd::lane_kernels<T>().from_rows(rows + at, row_step, count, piece->n_bins(), lanes);
    apply_bands(*piece, lanes, lanes_per_block, at == 0 ? sums : values, lanes_per_block);
    if (at > 0)
      for (Index i = 0; i < values_size; ++i) sums[i] += values[i];
    at += piece->n_bins();
  }
  store_rows(sums, n_values, count, reinterpret_cast<T*>(out), 2 * stride);
}

template <class T>
void synthesise_block(const OctaveBank& bank, const Octave& octave, const std::complex<T>* bins,
                      Index stride, Index count, Index at, Index length, T* work, T* y) {
  const Index n_fft = bank.n_fft(octave), n_values = 2 * bank.bins_of(octave);
  T* const values = work;
  T* const frames = values + n_values * lanes_per_block;
  T* const rows = frames + n_fft * lanes_per_block;
  const Index between = row_stride(n_fft);
  load_lanes(reinterpret_cast<const T*>(bins), n_values, Index(1), 2 * stride, count, values);
  apply_bands(*octave.filters.front(), values, lanes_per_block, frames, lanes_per_block);
  store_rows(frames, n_fft, count, rows, between);
  for (Index i = 0; i < count; ++i) {
    const Index start = at + i * octave.hop_length;
    const T* const row = rows + i * between;
    const Index last = std::min(n_fft, length - start);
    for (Index n = std::max<Index>(-start, 0); n < last; ++n) y[start + n] += row[n];
  }
}

template void analyse_block(const OctaveBank&, const Octave&, const FrameSource<float>&, Index,
                            Index, float*, std::complex<float>*, Index);
template void analyse_block(const OctaveBank&, const Octave&, const FrameSource<double>&, Index,
                            Index, double*, std::complex<double>*, Index);
template void synthesise_block(const OctaveBank&, const Octave&, const std::complex<float>*, Index,
                               Index, Index, Index, float*, float*);
template void synthesise_block(const OctaveBank&, const Octave&, const std::complex<double>*, Index,
                               Index, Index, Index, double*, double*);

}  // namespace metalmom::dsp
