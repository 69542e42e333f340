// Audio in, audio out.
#pragma once

#include "ops/op_list.hpp"
#include "ops/effects/hpss.hpp"

namespace metalmom::ops {

using EffectsOps = OpList<Hpss, HpssAudio>;

}  // namespace metalmom::ops
