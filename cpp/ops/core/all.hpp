// Transforms, levels and their inverses: what librosa has at its top level.
#pragma once

#include "ops/core/autocorrelate.hpp"
#include "ops/core/companding.hpp"
#include "ops/core/decibel.hpp"
#include "ops/core/delta.hpp"
#include "ops/core/griffinlim.hpp"
#include "ops/core/istft.hpp"
#include "ops/core/lpc.hpp"
#include "ops/core/nnls.hpp"
#include "ops/core/pcen.hpp"
#include "ops/core/phase_vocoder.hpp"
#include "ops/core/phasors.hpp"
#include "ops/core/reassign.hpp"
#include "ops/core/resample.hpp"
#include "ops/core/sliding_sums.hpp"
#include "ops/core/sparse_rows.hpp"
#include "ops/core/spline.hpp"
#include "ops/core/stft.hpp"
#include "ops/op_list.hpp"

namespace metalmom::ops {

using CoreOps = OpList<Stft, Istft, GriffinLim, Phasors, PhaseVocoder, Reassign, Decibel, Pcen,
                       Autocorrelate, SlidingSums, Lpc, Nnls, MuCompress, MuQuantize, MuExpand,
                       SparseRows, Spline, Delta, Resample>;

}  // namespace metalmom::ops
