// A recursive filter of the first order along signals: what undoes pre-emphasis.
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct OnePole {
  static constexpr std::string_view name = "one_pole";

  struct Params {
    double coef = 0.97;  // of the sample before

    static constexpr auto fields() { return field_list(field("coef", &Params::coef)); }
  };

  template <class T>
  struct In {
    View<const T> y;           // (batch, 1, samples)
    View<const double> start;  // (batch, 1, 1): what is added to the first sample

    static constexpr auto fields() {
      return field_list(signals("y", &In::y), signals("start", &In::start));
    }
  };

  template <class T>
  struct Out {
    View<T> y;  // as the input

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    double coef = 0;
    Index batch = 0, n_samples = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_samples}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
