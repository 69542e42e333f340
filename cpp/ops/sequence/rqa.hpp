// Scores of paths through similarity matrices, and the best path (dsp/recurrence.hpp).
#pragma once

#include <algorithm>

#include "dsp/recurrence.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Rqa {
  static constexpr std::string_view name = "rqa";

  struct Params : dsp::GapRule {
    static constexpr auto fields() {
      return field_list(field("gap_onset", &GapRule::onset, non_negative),
                        field("gap_extend", &GapRule::extend, non_negative),
                        field("knight_moves", &GapRule::knight_moves));
    }
  };

  template <class T>
  struct In {
    View<const T> sim;  // (batch, rows, cols)

    static constexpr auto fields() { return field_list(matrices("sim", &In::sim)); }
  };

  template <class T>
  struct Out {
    View<T> score;       // the shape of sim
    View<Index> path;    // (batch, min(rows, cols), 2): cells from the start of the best path
    View<Index> length;  // (batch, 1, 1): how many cells it has

    static constexpr auto fields() {
      return field_list(matrices("score", &Out::score), matrices("path", &Out::path),
                        scalars("length", &Out::length));
    }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_rows = 0, n_cols = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_rows, plan.n_cols},
            {nullptr, plan.batch, std::min(plan.n_rows, plan.n_cols), 2},
            {nullptr, plan.batch, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
