// Kernels of dynamic programs. Their results are decisions: where two paths tie, a fused
// multiply-add could turn one, so decisions.cpp is compiled without contraction.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

enum class Isa;

// Transitions of a hidden Markov model, as dsp/viterbi.hpp packs them: the target states are cut
// into blocks, and each block lists the states from which it is entered.
struct TransitionBlocks {
  Index n_states = 0;            // a multiple of `width`
  Index width = 0;               // states of a block: 8 or 32
  const Index* first = nullptr;  // entries of block b: first[b] ... first[b + 1]
  const int32_t* from = nullptr;
  const double* weights = nullptr;  // `width` of each entry
  double background = 0;            // the weight of every transition that is not listed
};

struct DecisionKernels {
  // next[j] += max over k of values[k] + weight(k, j)
  void (*advance_states)(const TransitionBlocks& transitions, const double* values, double* next);
  // The first k with the largest a[k] + b[k], 0 if all are -inf. n is a multiple of 8.
  Index (*first_of_largest_sums)(const double* a, const double* b, Index n);
  // out[c * out_stride + r] = in[r * in_stride + c]
  void (*transpose)(const double* in, Index in_stride, Index rows, Index cols, double* out,
                    Index out_stride);
};

template <Isa isa>
const DecisionKernels& decisions_of();

}  // namespace metalmom::dsp::simd
