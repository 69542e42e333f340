// The filters of a bank of octaves as shaders/octaves.comp reads them: in jobs of some rows each, a
// sample's rows side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ops/cqt/constant_q.hpp"

namespace metalmom::gpu {

// Some filters of an octave.
struct OctaveJob {
  std::size_t octave;         // in the bank
  std::uint32_t first_four;   // where its filters begin, in fours of rows
  std::uint32_t first_bin, n_bins;
};

struct OctaveLayout {
  std::vector<OctaveJob> jobs;  // those of fewer halvings first
  std::vector<float> filters;
  std::uint64_t serial = 0;  // names the filters in the device's cache
};

// Cached by the identity of the bank, which the cache keeps alive.
std::shared_ptr<const OctaveLayout> octave_layout(
    const std::shared_ptr<const dsp::OctaveBank>& bank);

}  // namespace metalmom::gpu
