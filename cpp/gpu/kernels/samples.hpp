// Root mean square and zero crossings of frames on the GPU (shaders/samples.comp): numbers that
// need no transform, straight from the samples.
//
// In: (clips, samples). Out: (clips, 1, frames). A piece is a run of frames with the samples that
// they cover. Both are one shader with a constant that says what is counted.
#pragma once

#include "gpu/kernels/transform.hpp"
#include "ops/spectral/rms.hpp"
#include "ops/spectral/zero_crossings.hpp"

namespace metalmom::gpu {

// What shaders/samples.comp computes.
enum class SampleKind : std::uint32_t {
  rms = samples_rms,
  crossings = samples_crossings,
  signed_crossings = samples_signed_crossings
};

const char* supports_samples(const ops::FramePlan& plan, const Limits& limits);
void record_samples(Session& session, const ops::FramePlan& plan, const Piece& piece,
                    const Slices& slices, SampleKind kind, double threshold = 0,
                    bool first_crosses = false);

// What both have in common: audio in, one number a frame out.
template <class Op_>
struct SamplesKernel : KernelBase {
  using Op = Op_;
  static const char* supports(const typename Op::Plan& plan, const Limits& limits) {
    return supports_samples(plan, limits);
  }
  static std::array<HostArray, 1> inputs(const typename Op::template In<float>& in) {
    return {host_array(in.y)};
  }
  static Index units(const typename Op::Plan& plan) { return plan.n_frames; }
  static Region input_region(const typename Op::Plan& plan, const Piece& piece, std::size_t) {
    return audio_region(plan, piece);
  }
  static Region output_region(const typename Op::Plan&, const Piece& piece, std::size_t) {
    return {0, 1, piece.unit, piece.n_units};
  }
};

template <>
struct Kernel<ops::Rms> : SamplesKernel<ops::Rms> {
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.rms)};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                     const Piece& piece, const Slices& slices) {
    record_samples(session, plan, piece, slices, SampleKind::rms);
  }
};

template <>
struct Kernel<ops::ZeroCrossingRate> : SamplesKernel<ops::ZeroCrossingRate> {
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {widened(out.rate)};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                     const Piece& piece, const Slices& slices) {
    record_samples(session, plan, piece, slices,
                   plan.zero_pos ? SampleKind::crossings : SampleKind::signed_crossings,
                   plan.threshold, plan.first_crosses);
  }
};

}  // namespace metalmom::gpu
