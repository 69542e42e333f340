// Rows without the least values that add up to a share of all.
#pragma once

#include <cstdint>

#include "ops/op.hpp"

namespace metalmom::ops {

struct SparseRows {
  static constexpr std::string_view name = "sparse_rows";

  struct Params {
    double quantile = 0.01;

    static constexpr auto fields() {
      return field_list(field("quantile", &Params::quantile, Range{0, 1, "in [0, 1)"}));
    }
  };

  template <class T>
  struct In {
    View<const T> magnitudes;  // (1, rows, columns), finite and non-negative

    static constexpr auto fields() { return field_list(matrices("magnitudes", &In::magnitudes)); }
  };

  // The columns that stay, row after row, and where each row's end; room for all.
  template <class T>
  struct Out {
    View<std::int32_t> columns;  // (1, 1, rows * columns)
    View<std::int32_t> ends;     // (1, 1, rows + 1), from 0

    static constexpr auto fields() {
      return field_list(signals("columns", &Out::columns), signals("ends", &Out::ends));
    }
  };

  struct Plan {
    double quantile = 0;
    Index n_rows = 0, n_columns = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, 1, plan.n_rows * plan.n_columns}, {nullptr, 1, 1, plan.n_rows + 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
