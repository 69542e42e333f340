// Convolution on the GPU by overlap-save with uniform partitions (Stockham 1966; Gardner 1995): the
// spectra of a signal's blocks and of a response's partitions (shaders/spectrum.comp), their
// products, added up over the partitions (shaders/partitions.comp), and the way back
// (shaders/overlap_save.comp).
//
// In: (clips, 1, samples) and (clips or 1, 1, taps). Out: (clips, 1, results). Block t is the
// results [t L, (t + 1) L) of the full result, whatever part of it is asked for and however it is
// cut, and its transform begins L samples earlier. A unit is some blocks, so many that the samples
// which a piece of a cut clip has in common with the one before are few beside its own.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/effects/convolve.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Convolve> : KernelBase {
  using Op = ops::Convolve;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 2> inputs(const Op::In<float>& in) {
    return {host_array(in.x), host_array(in.h)};
  }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {host_array(out.y)}; }
  static Index units(const Op::Plan& plan);
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t i);
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
