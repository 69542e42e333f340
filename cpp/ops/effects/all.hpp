// Audio in, audio out.
#pragma once

#include "ops/effects/convolve.hpp"
#include "ops/effects/hpss.hpp"
#include "ops/effects/one_pole.hpp"
#include "ops/op_list.hpp"

namespace metalmom::ops {

using EffectsOps = OpList<Hpss, HpssAudio, OnePole, Convolve>;

}  // namespace metalmom::ops
