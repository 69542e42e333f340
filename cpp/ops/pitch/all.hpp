// Spectral peaks and the tuning they agree on; periods.
#pragma once

#include "ops/op_list.hpp"
#include "ops/pitch/piptrack.hpp"
#include "ops/pitch/tuning.hpp"
#include "ops/pitch/yin.hpp"

namespace metalmom::ops {

using PitchOps =
    OpList<Piptrack, TuningEstimate, SpectrumTuning, PitchTuning, Yin, PyinObservations>;

}  // namespace metalmom::ops
