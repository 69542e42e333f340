// The one list of ops: the bridge, the parity tests and the benchmarks iterate over it, family by
// family.
#pragma once

#include "ops/core/all.hpp"
#include "ops/cqt/all.hpp"
#include "ops/effects/all.hpp"
#include "ops/pitch/all.hpp"
#include "ops/rhythm/all.hpp"
#include "ops/segment/all.hpp"
#include "ops/sequence/all.hpp"
#include "ops/spectral/all.hpp"

namespace metalmom::ops {

using AllOps = JoinedLists<CoreOps, SpectralOps, RhythmOps, PitchOps, EffectsOps, SegmentOps,
                           SequenceOps, CqtOps>;

}  // namespace metalmom::ops
