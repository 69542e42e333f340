// Features of spectra and of frames of samples.
#pragma once

#include "ops/op_list.hpp"
#include "ops/spectral/cepstrum.hpp"
#include "ops/spectral/chroma.hpp"
#include "ops/spectral/filterbank.hpp"
#include "ops/spectral/harmonics.hpp"
#include "ops/spectral/log_bands.hpp"
#include "ops/spectral/rms.hpp"
#include "ops/spectral/spectral_shape.hpp"
#include "ops/spectral/zero_crossings.hpp"

namespace metalmom::ops {

using SpectralOps = OpList<FilterbankSpectrogram, FilterbankProduct, LogBands, LogBandsByFrame,
                           LogBandsInDouble, ChromaSpectrogram, Cepstrum, Dct, Rms, SpectralShape,
                           SpectralContrast, ZeroCrossingRate, HarmonicRows>;

}  // namespace metalmom::ops
