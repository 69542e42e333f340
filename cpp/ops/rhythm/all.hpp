// Onsets, tempo and beats.
#pragma once

#include "ops/op_list.hpp"
#include "ops/rhythm/beat_track.hpp"
#include "ops/rhythm/onset_strength.hpp"
#include "ops/rhythm/peak_pick.hpp"
#include "ops/rhythm/tempo.hpp"
#include "ops/rhythm/tempogram.hpp"

namespace metalmom::ops {

using RhythmOps = OpList<OnsetStrength, SpectralFlux, BlockDc, PeakPick, Tempogram, Tempo,
                         GlobalTempo, BeatTrack>;

}  // namespace metalmom::ops
