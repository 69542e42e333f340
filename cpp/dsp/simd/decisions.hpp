// Kernels of dynamic programs. Their results are decisions: where two paths tie, a fused
// multiply-add could turn one, so decisions.cpp is compiled without contraction.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

enum class Isa;

// Transitions of a hidden Markov model, as dsp/viterbi.hpp packs them: the target states are cut
// into blocks, and each block lists the states from which it is entered, but for states that stay.
struct TransitionBlocks {
  Index n_states = 0;            // a multiple of `width`
  Index width = 0;               // states of a block: 8 or 32
  const Index* first = nullptr;  // entries of block b: first[b] ... first[b + 1]
  const int32_t* from = nullptr;
  const double* weights = nullptr;  // `width` of each entry
  const double* stay = nullptr;     // each state's weight of staying
  double background = 0;            // the weight of every transition that is not listed
};

enum class Metric { euclidean, sqeuclidean, cityblock, chebyshev, cosine };

// Points a and blocks of 16 points b in lanes (b[k * 16 + i]), of n_features each, and their norms,
// which only the cosine reads.
struct PointBlocks {
  const double* a;
  const double* a_norms;
  Index n_points;
  const double* blocks;
  const double* b_norms;
  Index n_blocks, n_features;
};

// Ways into a cell of a warping path: `rows` back and `cols` back, at a cost of
// weight * C[n, m] + penalty.
struct WarpStep {
  Index rows, cols;
  double weight, penalty;
};

// A row of recurrence scores in double: the scores, and what is left of them after a gap.
struct ScoreRow {
  double *scores, *after_gap;
};

template <class T>
using ScoreRowKernel = void (*)(const T* sim, const ScoreRow& one_above, const ScoreRow& two_above,
                                Index first, Index n_cols, double gap_onset, double gap_extend,
                                bool knight_moves, const ScoreRow& now, T* score);

struct DecisionKernels {
  // next[j] += max over k of values[k] + weight(k, j)
  void (*advance_states)(const TransitionBlocks& transitions, const double* values, double* next);
  // The first k with the largest a[k] + b[k], 0 if all are -inf. n is a multiple of 8.
  Index (*first_of_largest_sums)(const double* a, const double* b, Index n);
  // out[p * stride + 16 * block + i] = distance of a's point p and i of the block
  void (*distances)(Metric metric, const PointBlocks& points, double* out, Index stride);
  // The i with values[i] < limit, in their order; how many there are.
  Index (*places_below)(const double* values, Index n, double limit, int32_t* places);
  // total[r * stride + m] for 8 rows and all columns by the steps (1, 1), (0, 1), (1, 0): cost +
  // the least of the three totals. `above`: the row before them, `corner`: its value before the
  // first column, where those of the 8 rows are infinite.
  void (*warp_eight_rows)(const double* cost, Index cost_stride, const double* above,
                          double corner, Index n_cols, double* total, Index stride);
  // One row by any steps, of which those with rows == 0 come last. above[r]: the row r before this
  // one, infinite in its `reach` values before the first column; so is `total`, which holds what the
  // row starts from.
  void (*warp_row)(const WarpStep* steps, Index n_steps, const double* cost,
                   const double* const* above, Index n_cols, double* total);
  // Columns [first, n_cols) of a row of scores (dsp/recurrence.hpp). Rows have two values before
  // their first column.
  ScoreRowKernel<float> float_scores;
  ScoreRowKernel<double> double_scores;
  // out[c * out_stride + r] = in[r * in_stride + c]
  void (*transpose)(const double* in, Index in_stride, Index rows, Index cols, double* out,
                    Index out_stride);
};

template <Isa isa>
const DecisionKernels& decisions_of();

}  // namespace metalmom::dsp::simd
