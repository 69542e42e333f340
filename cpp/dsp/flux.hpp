// Spectral flux: what onset strength is made of (Boeck and Widmer 2013, "Maximum filter vibrato
// suppression for onset detection"). Spectrograms are (bands, frames), frames fastest.
#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

enum class FluxAggregate { none, mean, median };

// Frames that one call of flux_block may cover.
inline constexpr Index flux_frames = 64;

// Levels and the reference that they are compared with, `lag` frames earlier.
template <class T>
struct FluxSource {
  const T* levels = nullptr;
  const T* reference = nullptr;
  Index bands = 0;
  Index stride = 0;  // from one band to the next, in both arrays
  Index lag = 1;
  Index max_size = 1;  // bands of the maximum filter over the reference, centred
  T floor = -std::numeric_limits<T>::infinity();  // lower levels count as this one, in both arrays
};

// The positive part of levels[f, t + lag] - max over neighbours of reference[f, t], for the frames
// t of [first, first + count), count <= flux_frames. Aggregated over the bands into out[0 ..
// count); with `none`, band f goes to out[f * out_stride + 0 .. count).
template <class T>
void flux_block(const FluxSource<T>& source, Index first, Index count, FluxAggregate aggregate,
                T* out, Index out_stride);

// The mean over bands of the positive part of levels - reference, of one frame whose bands lie side
// by side: bitwise what flux_block gives without a maximum filter and a floor.
template <class T>
T mean_flux(const T* levels, const T* reference, Index bands);

// Frames of silence before the first difference: `lag`, and if frames are centred the length of the
// half frame before the centre, in hops.
constexpr Index onset_shift(Index lag, Index n_fft, Index hop_length, bool centred) {
  return lag + (centred ? n_fft / (2 * hop_length) : 0);
}

// Removes the constant part: y[n] = x[n] - x[n - 1] + 0.99 y[n - 1].
template <class T>
void block_dc(const T* x, Index n, double* y);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::FluxAggregate> {
  static constexpr std::array<std::string_view, 3> value = {"none", "mean", "median"};
};

}  // namespace metalmom
