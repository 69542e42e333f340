// Audio in, audio out.
#pragma once

#include "ops/op_list.hpp"
#include "ops/effects/convolve.hpp"
#include "ops/effects/hpss.hpp"
#include "ops/effects/one_pole.hpp"

namespace metalmom::ops {

using EffectsOps = OpList<Hpss, HpssAudio, OnePole, Convolve>;

}  // namespace metalmom::ops
