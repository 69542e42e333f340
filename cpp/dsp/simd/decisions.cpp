// Compiled once per instruction set, as kernels.cpp is, but without contraction.
#include "dsp/simd/decisions.hpp"

#include "dsp/simd/distances.hpp"
#include "dsp/simd/isa.hpp"
#include "dsp/simd/places.hpp"
#include "dsp/simd/score_rows.hpp"
#include "dsp/simd/states.hpp"
#include "dsp/simd/warping.hpp"

namespace metalmom::dsp::simd {
namespace {

constexpr DecisionKernels these_decisions = {.advance_states = advance_states,
                                             .first_of_largest_sums = first_of_largest_sums,
                                             .distances = distances,
                                             .places_below = places_below,
                                             .warp_eight_rows = warp_eight_rows,
                                             .warp_row = warp_row,
                                             .float_scores = score_row<float>,
                                             .double_scores = score_row<double>,
                                             .transpose = transpose};

}  // namespace

template <>
const DecisionKernels& decisions_of<this_isa>() {
  return these_decisions;
}

}  // namespace metalmom::dsp::simd
