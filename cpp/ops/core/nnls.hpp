// Non-negative least squares (dsp/nonnegative.hpp).
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct Nnls {
  static constexpr std::string_view name = "nnls";

  struct Params {
    double curvature = 1;  // the largest eigenvalue of A^T A
    // stop when the largest element of the projected gradient, over a block's values, is below
    double pgtol = 1e-5;
    Index block_columns = 1;  // columns of B whose descent is decided together
    Index maxiter = 15000;

    static constexpr auto fields() {
      return field_list(field("curvature", &Params::curvature, strictly_positive),
                        field("pgtol", &Params::pgtol, non_negative),
                        field("block_columns", &Params::block_columns, positive_integer),
                        field("maxiter", &Params::maxiter, non_negative_integer));
    }
  };

  template <class T>
  struct In {
    View<const T> B;           // (batch, m, columns)
    View<const double> A;      // (1, m, n)
    View<const double> start;  // (1, m, n): the transposed pseudo-inverse of A

    static constexpr auto fields() {
      return field_list(matrices("B", &In::B), matrices("A", &In::A),
                        matrices("start", &In::start));
    }
  };

  template <class T>
  struct Out {
    View<T> X;  // (batch, columns, n)

    static constexpr auto fields() { return field_list(matrices("X", &Out::X)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_rows = 0, n_cols = 0, n_columns = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_columns, plan.n_cols}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
