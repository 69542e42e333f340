// Transforms, levels and their inverses: what librosa has at its top level.
#pragma once

#include "ops/op_list.hpp"
#include "ops/core/autocorrelate.hpp"
#include "ops/core/decibel.hpp"
#include "ops/core/griffinlim.hpp"
#include "ops/core/istft.hpp"
#include "ops/core/pcen.hpp"
#include "ops/core/phase_vocoder.hpp"
#include "ops/core/phasors.hpp"
#include "ops/core/sliding_sums.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::ops {

using CoreOps = OpList<Stft, Istft, GriffinLim, Phasors, PhaseVocoder, Decibel, Pcen, Autocorrelate,
                       SlidingSums>;

}  // namespace metalmom::ops
