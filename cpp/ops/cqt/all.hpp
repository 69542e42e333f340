// Transforms with a filter for each bin, and back.
#pragma once

#include "ops/cqt/band_energies.hpp"
#include "ops/cqt/constant_q.hpp"
#include "ops/cqt/constant_q_inverse.hpp"
#include "ops/op_list.hpp"

namespace metalmom::ops {

using CqtOps = OpList<ConstantQ, ConstantQInverse, BandEnergies>;

}  // namespace metalmom::ops
