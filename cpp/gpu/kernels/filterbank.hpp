// Audio to bands on the GPU, one fused kernel (shaders/bands.comp): the spectrum never leaves a
// workgroup. What else starts with it (chroma, cepstra, onset strength) records it with its own
// ending.
//
// Bands are (clips, bands, frames) in device memory. Which thread weighs which bins is decided here
// on the host, once for each basis (band_layout.hpp).
#pragma once

#include "gpu/kernels/band_layout.hpp"
#include "gpu/kernels/frames_kernel.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::gpu {

// Where the bands of a piece go, and whether they become decibels or are divided by a norm.
struct BandsTarget {
  Slice bands;
  // Frames of a row of `bands`, and the piece's first one in it.
  Index row_frames = 0, row_first = 0;
  Slice maxima = {};  // a word for each clip; null: no decibels, no maxima
  double amin = 0;
  // 0: (bands, frames); a kind of norms (shader_kinds.hpp): (frames, bands), divided by it.
  std::uint32_t norm_kind = 0;
  double norm = 0;
};

Reason supports_bands(const ops::BandPlan& plan, const Limits& limits);
// What the kernels of bands move and compute.
KernelWork work_of_bands(const ops::BandPlan& plan, const Piece& piece);
void record_bands(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                  const Piece& piece, Slice audio, const BandsTarget& target);

template <>
struct Kernel<ops::FilterbankSpectrogram> : FramesKernel<ops::FilterbankSpectrogram> {
  static Reason supports(const Op::Plan& plan, const Limits& limits) {
    return supports_bands(plan, limits);
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.bands)};
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
