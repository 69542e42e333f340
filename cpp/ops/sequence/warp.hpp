// Dynamic time warping (dsp/warping.hpp): accumulated costs, the path through them, and the steps
// of all cells.
#pragma once

#include <cstdint>
#include <span>

#include "dsp/warping.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct WarpParams {
  dsp::Metric metric = dsp::Metric::euclidean;
  bool subsequence = false;
  Index lower = dsp::WarpRule{}.lower, upper = dsp::WarpRule{}.upper;
  Index first_row = 0;   // rows of the whole matrix that lie above those given
  Index end = 0;         // the column at which the path ends
  Index first_code = 0;  // number of the first step in a matrix of steps

  static constexpr auto fields() {
    return field_list(field("metric", &WarpParams::metric),
                      field("subsequence", &WarpParams::subsequence),
                      field("lower", &WarpParams::lower), field("upper", &WarpParams::upper),
                      field("first_row", &WarpParams::first_row, non_negative_integer),
                      field("end", &WarpParams::end, non_negative_integer),
                      field("first_code", &WarpParams::first_code, non_negative_integer));
  }
};

// The costs of all pairs, or frames whose distances are the costs; and the allowed steps.
struct WarpIn {
  View<const double> cost;   // (1, rows, cols)
  View<const double> x, y;   // (1, rows, features) and (1, cols, features)
  View<const double> total;  // accumulated costs: all of them, or the rows right above these
  std::span<const double> step_rows, step_cols, weights, penalties;

  static constexpr auto fields() {
    return field_list(
        optional(matrices("cost", &WarpIn::cost)), optional(matrices("x", &WarpIn::x)),
        optional(matrices("y", &WarpIn::y)), optional(matrices("total", &WarpIn::total)),
        field("step_rows", &WarpIn::step_rows), field("step_cols", &WarpIn::step_cols),
        field("weights", &WarpIn::weights), field("penalties", &WarpIn::penalties));
  }
};

struct WarpPlan {
  WarpParams params;
  Index n_rows = 0, n_cols = 0, n_steps = 0, n_features = 0;
};

WarpPlan plan_warp(const WarpParams& params, const WarpIn& in);
Cost cost_of_warp(const WarpPlan& plan);

// Shared by the three ops that follow, for which `total` is an input.
struct WarpOp {
  using Params = WarpParams;
  template <class T>
  using In = WarpIn;
  using Plan = WarpPlan;

  static Cost cost(const Plan& plan) { return cost_of_warp(plan); }
};

// Accumulates costs. With first_row > 0 `total` has the rows above, as many as the steps reach.
struct WarpTotals : WarpOp {
  static constexpr std::string_view name = "warp_totals";

  template <class T>
  struct Out {
    View<double> total;  // (1, rows, cols)

    static constexpr auto fields() { return field_list(matrices("total", &Out::total)); }
  };

  static Plan plan(const Params& params, const WarpIn& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.n_rows, plan.n_cols}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const WarpIn& in, const Out<T>& out) {
    accumulate(plan, in, out.total);
  }

 private:
  static void accumulate(const Plan& plan, const WarpIn& in, View<double> total);
};

// The best path through `total`. With first_row > 0 only its part down here: it stops at the first
// rows, those from which a step may lead to rows above.
struct WarpPath : WarpOp {
  static constexpr std::string_view name = "warp_path";

  template <class T>
  struct Out {
    View<Index> path;    // (1, rows + cols, 2): cells from the end
    View<Index> length;  // (1, 1, 1): how many there are

    static constexpr auto fields() {
      return field_list(matrices("path", &Out::path), scalars("length", &Out::length));
    }
  };

  static Plan plan(const Params& params, const WarpIn& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.n_rows + plan.n_cols, 2}, {nullptr, 1, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const WarpIn& in, const Out<T>& out) {
    *out.length.data = follow(plan, in, out.path);
  }

 private:
  static Index follow(const Plan& plan, const WarpIn& in, View<Index> path);
};

// Which step leads into each cell of `total`.
struct WarpSteps : WarpOp {
  static constexpr std::string_view name = "warp_steps";

  template <class T>
  struct Out {
    View<std::int32_t> steps;  // (1, rows, cols)

    static constexpr auto fields() { return field_list(matrices("steps", &Out::steps)); }
  };

  static Plan plan(const Params& params, const WarpIn& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.n_rows, plan.n_cols}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const WarpIn& in, const Out<T>& out) {
    find(plan, in, out.steps);
  }

 private:
  static void find(const Plan& plan, const WarpIn& in, View<std::int32_t> steps);
};

// The path that a matrix of steps describes.
struct WarpWalk {
  static constexpr std::string_view name = "warp_walk";

  struct Params {
    bool subsequence = false;
    Index end = 0;

    static constexpr auto fields() {
      return field_list(field("subsequence", &Params::subsequence),
                        field("start", &Params::end, Range{0, 9e15, "a column of steps"}));
    }
  };

  template <class T>
  struct In {
    View<const std::int32_t> steps;  // (1, rows, cols)
    std::span<const double> step_rows, step_cols;

    static constexpr auto fields() {
      return field_list(matrices("steps", &In::steps), field("step_rows", &In::step_rows),
                        field("step_cols", &In::step_cols));
    }
  };

  template <class T>
  using Out = WarpPath::Out<T>;

  struct Plan {
    Params params;
    Index n_rows = 0, n_cols = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.n_rows + plan.n_cols, 2}, {nullptr, 1, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
