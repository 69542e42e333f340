// Spectral peaks and the tuning they agree on.
#pragma once

#include "ops/op_list.hpp"
#include "ops/pitch/piptrack.hpp"
#include "ops/pitch/tuning.hpp"

namespace metalmom::ops {

using PitchOps = OpList<Piptrack, TuningEstimate, SpectrumTuning, PitchTuning>;

}  // namespace metalmom::ops
