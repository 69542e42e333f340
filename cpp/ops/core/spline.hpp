// Signals at positions between their samples, by cubic splines (dsp/spline.hpp).
#pragma once

#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct Spline {
  static constexpr std::string_view name = "spline";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const T> y;                    // (batch, 1, samples)
    std::span<const double> positions;  // in samples, from the first to the last

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("positions", &In::positions));
    }
  };

  template <class T>
  struct Out {
    View<double> values;  // (batch, 1, positions)

    static constexpr auto fields() { return field_list(signals("values", &Out::values)); }
  };

  struct Plan {
    Index batch = 0, n_samples = 0, n_positions = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_positions}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
