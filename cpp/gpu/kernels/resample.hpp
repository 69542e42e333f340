// Changes of rate on the GPU (shaders/resample.comp), by libsoxr's own filters, which were measured
// (dsp/rate/polyphase.hpp).
//
// In: (clips, 1, samples). Out: (clips, 1, results). A unit is a period: samples after which the
// same taps come again, at least resample_rows results. A piece is a run of periods with the
// samples that their taps reach.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/resample.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Resample> : KernelBase {
  using Op = ops::Resample;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {host_array(out.y)}; }
  static Index units(const Op::Plan& plan);
  static Region input_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t);
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
