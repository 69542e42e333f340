// Blocks of a stored spectrogram, searched for peaks.
#pragma once

#include "dsp/bands.hpp"
#include "ops/pitch/piptrack.hpp"
#include "ops/core/power_blocks.hpp"

namespace metalmom::ops {

// Calls visit(bin, lane, peak) for the peaks of a block of frames.
template <class T, class F>
void visit_stored_peaks(const PeakPlan& plan, const PeakInputs<T>& in, const Blocks::Block& block,
                        F&& visit) {
  T* const lanes = lane_scratch<T>(plan.n_bins);
  dsp::load_lanes(in.S.row(block.b, block.first), plan.n_bins, Index(1), plan.n_bins, block.count,
                  lanes);
  T limit[dsp::block_frames] = {};
  if (plan.limited)
    std::copy_n(in.limit.row(block.b) + block.first, block.count, limit);
  else
    dsp::peak_limits<T>(lanes, plan.n_bins, static_cast<T>(plan.peaks.threshold), limit);
  dsp::visit_peaks<T>(lanes, plan.n_bins, block.count, limit, plan.band, visit);
}

}  // namespace metalmom::ops
