// Scores of paths through a similarity matrix (Serra, Serra and Andrzejak 2009, "Cross recurrence
// quantification for cover song identification"): a cell that is similar adds to the best of the
// paths that lead to it, by (1, 1), (1, 2) and (2, 1); one that is not takes a penalty from it, for
// the onset of a gap or for its going on, and a path whose score would fall below zero ends.
#pragma once

#include "base/view.hpp"

namespace metalmom::dsp {

struct GapRule {
  double onset = 1, extend = 1;
  bool knight_moves = true;  // (1, 2) and (2, 1)
};

// score: as sim, (n_rows, n_cols), both at least 1. In double, rounded to T cell by cell.
template <class T>
void recurrence_scores(const T* sim, Index n_rows, Index n_cols, const GapRule& rule, T* score);

// Cells of the best path from its start: pairs, room for min(n_rows, n_cols) of them. Returns how
// many there are; none where nothing is similar. Of equal scores the first is the end, of equally
// good ways (1, 1) is taken before (1, 2) and (2, 1).
template <class T>
Index recurrence_path(const T* sim, const T* score, Index n_rows, Index n_cols, const GapRule& rule,
                      Index* path);

}  // namespace metalmom::dsp
