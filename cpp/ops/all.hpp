// The one list of ops: the bridge, the parity tests and the benchmarks iterate over it.
#pragma once

#include "ops/cepstrum.hpp"
#include "ops/chroma.hpp"
#include "ops/decibel.hpp"
#include "ops/filterbank.hpp"
#include "ops/istft.hpp"
#include "ops/rms.hpp"
#include "ops/stft.hpp"

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
    Decibel, Cepstrum, Dct, Rms>;

}  // namespace metalmom::ops
