// Weighted sums over a window that slides along rows: short filters without recursion.
#pragma once

#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct SlidingSums {
  static constexpr std::string_view name = "sliding_sums";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const T> x;                  // (rows, 1, values)
    std::span<const double> weights;  // of a window, at most as many as values

    static constexpr auto fields() {
      return field_list(signals("x", &In::x), field("weights", &In::weights));
    }
  };

  template <class T>
  struct Out {
    View<T> sums;  // (rows, 1, places of the window)

    static constexpr auto fields() { return field_list(signals("sums", &Out::sums)); }
  };

  struct Plan {
    Index rows = 0, n_sums = 0, n_weights = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.rows, 1, plan.n_sums}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
