// Linear prediction coefficients (dsp/linear_prediction.hpp).
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct Lpc {
  static constexpr std::string_view name = "lpc";

  struct Params {
    Index order = 1;

    static constexpr auto fields() {
      return field_list(field("order", &Params::order, positive_integer));
    }
  };

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(audio("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<T> coefficients;  // (batch, 1, order + 1)

    static constexpr auto fields() {
      return field_list(signals("coefficients", &Out::coefficients));
    }
  };

  struct Plan {
    Index order = 1, batch = 0, n_samples = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.order + 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
