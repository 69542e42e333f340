// Kernels of dynamic programs. Their results are decisions: where two paths tie, a fused
// multiply-add could turn one, so decisions.cpp is compiled without contraction.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

enum class Isa;

// Transitions of a hidden Markov model as dsp/viterbi.hpp packs them. Target states are cut into
// blocks; each block lists the states from which it is entered, without those that stay.
struct TransitionBlocks {
  Index n_states = 0;            // a multiple of `width`
  Index width = 0;               // states of a block: 8 or 32
  const Index* first = nullptr;  // entries of block b: first[b] ... first[b + 1]
  const int32_t* from = nullptr;
  const double* weights = nullptr;  // `width` weights for each entry
  const double* stay = nullptr;     // for each state its weight of staying
  double background = 0;            // the weight of every transition that is not listed
};

enum class Metric { euclidean, sqeuclidean, cityblock, chebyshev, cosine };

// Points a, and points b in blocks of 16 lanes: b[k * 16 + i]. Each has n_features values and a
// norm, which only the cosine reads.
struct PointBlocks {
  const double* a;
  const double* a_norms;
  Index n_points;
  const double* blocks;
  const double* b_norms;
  Index n_blocks, n_features;
};

// A step into a cell of a warping path, from the cell `rows` above and `cols` to the left. It costs
// weight * C[n, m] + penalty.
struct WarpStep {
  Index rows, cols;
  double weight, penalty;
};

// A row of recurrence scores: the scores, and what is left of each after the onset of a gap.
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
  // The first k with the largest a[k] + b[k]; 0 if all are -inf. n is a multiple of 8.
  Index (*first_of_largest_sums)(const double* a, const double* b, Index n);
  // out[p * stride + 16 * block + i]: the distance of point p of a and point i of the block.
  void (*distances)(Metric metric, const PointBlocks& points, double* out, Index stride);
  // Writes the indices i with values[i] < limit, ascending. Returns their number.
  Index (*places_below)(const double* values, Index n, double limit, int32_t* places);
  // total[r * stride + m] for 8 rows and all columns, with the steps (1, 1), (0, 1), (1, 0): the
  // cost plus the least of three totals. `above`: the row before them; `corner`: its value before
  // the first column. To the left of the 8 rows totals are infinite.
  void (*warp_eight_rows)(const double* cost, Index cost_stride, const double* above, double corner,
                          Index n_cols, double* total, Index stride);
  // One row with any steps; those with rows == 0 come last. above[r] is the r-th row above,
  // infinite in the `reach` values before its first column. So is `total`, which holds the values
  // that the row starts from.
  void (*warp_row)(const WarpStep* steps, Index n_steps, const double* cost,
                   const double* const* above, Index n_cols, double* total);
  // The columns [first, n_cols) of a row of scores (dsp/recurrence.hpp). Rows have two values
  // before their first column.
  ScoreRowKernel<float> float_scores;
  ScoreRowKernel<double> double_scores;
  // out[c * out_stride + r] = in[r * in_stride + c]
  void (*transpose)(const double* in, Index in_stride, Index rows, Index cols, double* out,
                    Index out_stride);
};

template <Isa isa>
const DecisionKernels& decisions_of();

}  // namespace metalmom::dsp::simd
