// Compiled once per instruction set, as kernels.cpp is, but without contraction.
#include "dsp/simd/decisions.hpp"

#include "dsp/simd/isa.hpp"
#include "dsp/simd/states.hpp"

namespace metalmom::dsp::simd {
namespace {

constexpr DecisionKernels these_decisions = {advance_states, first_of_largest_sums, transpose};

}  // namespace

template <>
const DecisionKernels& decisions_of<this_isa>() {
  return these_decisions;
}

}  // namespace metalmom::dsp::simd
