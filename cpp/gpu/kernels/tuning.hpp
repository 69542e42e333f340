// The tuning of audio on the GPU: a list of the peaks of all frames (shaders/peaks.comp), then the
// median of their magnitudes and the histogram of those that reach it (shaders/ranks.comp). Only
// the histogram comes back.
//
// From equal peaks the answer is the CPU's, to the last vote. The peaks themselves are of spectra
// in float32 that differ in the last digits, and a logarithm as exact as the device's: about one
// vote in a thousand goes to a neighbouring cell. So the answer is the CPU's unless two cells are
// as good as equal.
#pragma once

#include "gpu/kernels/frames_kernel.hpp"
#include "ops/pitch/tuning.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::TuningEstimate> : FramesKernel<ops::TuningEstimate> {
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 0> outputs(const Op::Out<float>&) { return {}; }
  static Region output_region(const Op::Plan&, const Piece&, std::size_t) { return {}; }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);

  static std::size_t shared_bytes(const Op::Plan& plan, std::size_t most);
  static void record_first(Session& session, const Op::Plan& plan, const Slice& shared);
  static void record_last(Session& session, const Op::Plan& plan, const Slice& shared);
  static std::size_t answer_bytes(const Op::Plan& plan);
  static void take_answer(const Op::Plan& plan, const Op::Out<float>& out,
                          std::span<const std::byte> answer);
};

}  // namespace metalmom::gpu
