// Audio to bands on the GPU, one fused kernel (shaders/bands.comp): the spectrum never leaves a
// workgroup. What else starts with it (chroma, cepstra, onset strength) records it with its own
// ending.
//
// Bands are (clips, bands, frames) in device memory. Which thread weighs which bins is decided here
// on the host, once for each basis (band_layout.hpp).
#pragma once

#include "gpu/kernels/band_layout.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::gpu {

// Where the bands of a piece go, and whether they become decibels or are divided by a norm.
struct BandsTarget {
  Slice bands;
  // frames of a row of `bands`, and the piece's first one in it
  Index row_frames = 0, row_first = 0;
  Slice maxima = {};                    // one word for each clip; null: no decibels, no maxima
  double amin = 0;
  std::uint32_t norm_kind = 0;  // 0: (bands, frames); else (frames, bands), see norm_kind below
  double norm = 0;
};

// A norm as one of the norm_ values of shaders/constants.h.
std::uint32_t norm_kind(bool normalize, double norm);

const char* supports_bands(const ops::BandPlan& plan, const Limits& limits);
void record_bands(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                  const Piece& piece, Slice audio, const BandsTarget& target);

// Levels in decibels and each clip's maximum: memory that lives from a clip's first piece to its
// last.
struct Levels {
  Slice maxima, levels;  // (clips), (clips, bands, frames)
};
const char* supports_levels(const ops::BandPlan& plan, double amin, const Limits& limits);
std::size_t level_bytes(const ops::BandPlan& plan, Index n_clips);
Levels record_levels(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                     const Piece& piece, const Slices& slices, double amin);

template <>
struct Kernel<ops::FilterbankSpectrogram> : KernelBase {
  using Op = ops::FilterbankSpectrogram;
  static const char* supports(const Op::Plan& plan, const Limits& limits) {
    return supports_bands(plan, limits);
  }
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.bands)};
  }
  static Index units(const Op::Plan& plan) { return plan.frames.n_frames; }
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan.frames, piece);
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {0, plan.n_bands, piece.unit, piece.n_units};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices) {
    record_bands(session, plan, in, piece, slices.in[0], {slices.out[0], piece.n_units});
  }
};

}  // namespace metalmom::gpu
