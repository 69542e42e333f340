// Per-channel energy normalisation on the GPU (shaders/pcen.comp; Wang, Getreuer, Hughes, Lyon and
// Saurous 2017): smoothing by a recursive filter, gain control and compression in one kernel.
//
// In and out: (rows, frames), and the filter's state of each row before and after. A row's filter
// goes from its first frame to its last, so pieces are whole rows. The kernel works on 32 rows a
// group: the filter uses a thread a row, everything else all threads.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/record/push.hpp"
#include "gpu/record/session.hpp"
#include "ops/core/pcen.hpp"

namespace metalmom::gpu {

template <>
struct Kernel<ops::Pcen> : KernelBase {
  using Op = ops::Pcen;
  static Reason supports(const Op::Plan& plan, const Limits& limits);
  static std::array<HostArray, 2> inputs(const Op::In<float>& in) {
    return {host_array(in.S), host_array(in.ref)};
  }
  static std::array<HostArray, 2> outputs(const Op::Out<float>& out) {
    return {widened(out.energy), widened(out.state)};
  }
  static Region input_region(const Op::Plan& plan, const Piece&, std::size_t i) {
    if (i == 1 && !plan.given_ref) return {};
    return {0, 1, 0, plan.n_frames};
  }
  static Region output_region(const Op::Plan& plan, const Piece&, std::size_t i) {
    return {0, 1, 0, i == 0 ? plan.n_frames : 1};
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                     const Piece& piece, const Slices& slices);
};

}  // namespace metalmom::gpu
