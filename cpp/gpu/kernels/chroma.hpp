// Chroma on the GPU: the bands kernel (shaders/bands.comp) with a dense basis.
//
// Out: (clips, frames, pitch classes), as the engine stores chroma. Each frame is divided by its
// norm while its bands are in shared memory, so the norm costs no pass over memory; a thread
// computes one class of the group's frames, hence the limit of classes. A piece is a run of frames.
#pragma once

#include "gpu/kernels/filterbank.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "ops/spectral/chroma.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::ChromaSpectrogram> : FramesKernel<ops::ChromaSpectrogram> {
  static Reason supports(const Op::Plan& plan, const Limits& limits) {
    constexpr std::uint32_t most = 128;  // one for each thread of a group
    static_assert(std::ranges::all_of(
        transform_shapes, [](const TransformShape& shape) { return shape.threads >= most; }));
    if (plan.n_bands > most) return "more than 128 pitch classes";
    return supports_bands(plan, limits);
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.chroma)};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
    return {piece.unit, piece.n_units, 0, plan.n_bands};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices) {
    record_bands(
        session, plan, in, piece, slices.in[0],
        {slices.out[0], piece.n_units, 0, {}, 0, norm_kind(plan.normalize, plan.norm), plan.norm});
  }
};

}  // namespace metalmom::gpu
