// Blocks of a stored spectrogram, searched for peaks.
#pragma once

#include "base/workspace.hpp"
#include "dsp/bands.hpp"
#include "ops/core/blocks.hpp"
#include "ops/pitch/piptrack.hpp"

namespace metalmom::ops {

// Calls visit(bin, lane, peak) for the peaks of a block of frames.
template <class T, class F>
void visit_stored_peaks(const PeakPlan& plan, const PeakInputs<T>& in, const Block& block,
                        F&& visit) {
  const Lent<T> lanes(plan.n_bins * dsp::block_frames);
  dsp::load_lanes(in.S.row(block.b, block.first), plan.n_bins, Index(1), plan.n_bins, block.count,
                  lanes.data());
  T limit[dsp::block_frames] = {};
  if (plan.limited)
    std::copy_n(in.limit.row(block.b) + block.first, block.count, limit);
  else
    dsp::peak_limits<T>(lanes, plan.n_bins, static_cast<T>(plan.peaks.threshold), limit);
  dsp::visit_peaks<T>(lanes, plan.n_bins, block.count, limit, plan.band, visit);
}

}  // namespace metalmom::ops
