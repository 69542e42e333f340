// The filters of a bank of octaves in the order in which shaders/octaves.comp reads them.
//
// A job is up to octave_rows rows (real and imaginary parts in turn) of one octave's filters, which
// a group multiplies with 64 frames. Its weights are stored sample by sample, a sample's rows side
// by side, filled up with zeros to whole jobs and steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ops/cqt/constant_q.hpp"

namespace metalmom::gpu {

// A group's work: up to octave_rows rows of the filters of one octave.
struct OctaveJob {
  std::size_t octave;        // in the bank
  std::uint32_t first_four;  // where its filters begin, in fours of rows
  std::uint32_t first_bin, n_bins;
};

struct OctaveLayout {
  std::vector<OctaveJob> jobs;  // in order of their halvings
  std::vector<float> filters;
  std::uint64_t serial = 0;  // names the filters in the device's cache
};

// Cached by the identity of the bank, which the cache keeps alive.
std::shared_ptr<const OctaveLayout> octave_layout(
    const std::shared_ptr<const dsp::OctaveBank>& bank);

}  // namespace metalmom::gpu
