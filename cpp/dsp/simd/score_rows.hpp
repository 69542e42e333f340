// Rows of recurrence scores (cumulative alignments with gaps: Serra, Serra and Andrzejak 2009,
// equation 6).
//
// A cell depends on cells of the two rows above it, to its left, and on nothing of its own row; so
// a row is one loop whose cells are independent, and the compiler makes lanes of columns. Rows have
// two values before their first column, so that no cell is special. Scores are rounded to T as they
// are stored and continue from the rounded value, as the reference's matrix does: which path is
// longest is a decision.
#pragma once

#include "dsp/simd/decisions.hpp"

namespace metalmom::dsp::simd {
namespace {

[[gnu::always_inline]] inline double most(double a, double b) {
  return a > b ? a : b;
}

template <bool knight_moves>
[[gnu::always_inline]] inline double best_of(const double* one, const double* two, Index j) {
  return knight_moves ? most(most(one[j - 1], one[j - 2]), two[j - 1]) : one[j - 1];
}

template <class T, bool knight_moves>
[[gnu::always_inline]] inline void score_columns(const T* __restrict sim, const ScoreRow& one,
                                                 const ScoreRow& two, Index first, Index n_cols,
                                                 double gap_onset, double gap_extend,
                                                 const ScoreRow& now, T* __restrict score) {
  double* __restrict const scores = now.scores;
  double* __restrict const after_gap = now.after_gap;
  for (Index j = first; j < n_cols; ++j) {
    const bool similar = sim[j] > 0;
    const double linked = best_of<knight_moves>(one.scores, two.scores, j) + double(sim[j]);
    const double gap = most(best_of<knight_moves>(one.after_gap, two.after_gap, j), 0);
    score[j] = T(similar ? linked : gap);
    scores[j] = score[j];
    after_gap[j] = scores[j] - (similar ? gap_onset : gap_extend);
  }
}

template <class T>
void score_row(const T* sim, const ScoreRow& one_above, const ScoreRow& two_above, Index first,
               Index n_cols, double gap_onset, double gap_extend, bool knight_moves,
               const ScoreRow& now, T* score) {
  if (knight_moves)
    score_columns<T, true>(sim, one_above, two_above, first, n_cols, gap_onset, gap_extend, now,
                           score);
  else
    score_columns<T, false>(sim, one_above, two_above, first, n_cols, gap_onset, gap_extend, now,
                            score);
}

}  // namespace
}  // namespace metalmom::dsp::simd
