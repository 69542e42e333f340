// Root mean square and zero crossings of frames on the GPU (shaders/samples.comp): numbers that
// need no transform, straight from the samples.
//
// In: (clips, samples). Out: (clips, 1, frames). Both are one shader with a constant that says what
// is counted.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/spectral/rms.hpp"
#include "ops/spectral/zero_crossings.hpp"

namespace metalmom::gpu {

// What shaders/samples.comp computes.
enum class SampleKind : std::uint32_t {
  rms = samples_rms,
  crossings = samples_crossings,
  signed_crossings = samples_signed_crossings
};

Reason supports_samples(const ops::FramePlan& plan, const Limits& limits);
void record_samples(Session& session, const ops::FramePlan& plan, const Piece& piece,
                    const Slices& slices, SampleKind kind, double threshold = 0,
                    bool first_crosses = false);

template <class Op>
struct SamplesKernel : FramesKernel<Op> {
  static Reason supports(const typename Op::Plan& plan, const Limits& limits) {
    return supports_samples(plan, limits);
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
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) { return {widened(out.rate)}; }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                     const Piece& piece, const Slices& slices) {
    record_samples(session, plan, piece, slices,
                   plan.zero_pos ? SampleKind::crossings : SampleKind::signed_crossings,
                   plan.threshold, plan.first_crosses);
  }
};

}  // namespace metalmom::gpu
