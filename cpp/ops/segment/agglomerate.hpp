// Segments by Ward's minimum variance (dsp/agglomerate.hpp).
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct Agglomerate {
  static constexpr std::string_view name = "agglomerate";

  struct Params {
    Index k = 1;

    static constexpr auto fields() { return field_list(field("k", &Params::k, positive_integer)); }
  };

  template <class T>
  struct In {
    View<const double> data;  // (1, frames, features)

    static constexpr auto fields() { return field_list(matrices("data", &In::data)); }
  };

  template <class T>
  struct Out {
    View<Index> starts;  // (1, 1, k)

    static constexpr auto fields() { return field_list(signals("starts", &Out::starts)); }
  };

  struct Plan {
    Params params;
    Index n = 0, n_features = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, 1, plan.params.k}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
