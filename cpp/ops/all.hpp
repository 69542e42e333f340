// The one list of ops: the bridge, the parity tests and the benchmarks iterate over it.
#pragma once

#include "ops/autocorrelate.hpp"
#include "ops/beat_track.hpp"
#include "ops/cepstrum.hpp"
#include "ops/chroma.hpp"
#include "ops/decibel.hpp"
#include "ops/filterbank.hpp"
#include "ops/griffinlim.hpp"
#include "ops/hpss.hpp"
#include "ops/istft.hpp"
#include "ops/onset_strength.hpp"
#include "ops/pcen.hpp"
#include "ops/peak_pick.hpp"
#include "ops/phasors.hpp"
#include "ops/piptrack.hpp"
#include "ops/rms.hpp"
#include "ops/spectral_shape.hpp"
#include "ops/stft.hpp"
#include "ops/tempogram.hpp"
#include "ops/tuning.hpp"
#include "ops/zero_crossings.hpp"

namespace metalmom::ops {

template <class... Op>
struct OpList {
  template <class F>
  static void for_each(F&& visit) {
    (visit.template operator()<Op>(), ...);
  }
};

using AllOps = OpList<                                            //
    Stft, Istft,                                                  //
    FilterbankSpectrogram, FilterbankProduct, ChromaSpectrogram,  //
    Decibel, Cepstrum, Dct, Rms, SpectralShape, SpectralContrast, ZeroCrossingRate, Pcen,
    GriffinLim, Phasors, Hpss, HpssAudio,                //
    OnsetStrength, SpectralFlux, BlockDc, PeakPick,      //
    Autocorrelate, Tempogram, TempogramMean, BeatTrack,  //
    Piptrack, TuningEstimate, SpectrumTuning, PitchTuning>;

}  // namespace metalmom::ops
