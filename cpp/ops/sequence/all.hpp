// Best paths: through states, through similarities, of one recording along another.
#pragma once

#include "ops/op_list.hpp"
#include "ops/sequence/rqa.hpp"
#include "ops/sequence/viterbi.hpp"
#include "ops/sequence/warp.hpp"

namespace metalmom::ops {

using SequenceOps = OpList<Viterbi, Rqa, WarpTotals, WarpPath, WarpSteps, WarpWalk>;

}  // namespace metalmom::ops
