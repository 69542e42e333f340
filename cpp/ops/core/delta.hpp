// Derivatives along the frames of features (dsp/derivatives.hpp).
#pragma once

#include <span>

#include "dsp/derivatives.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Delta {
  static constexpr std::string_view name = "delta";

  struct Params {
    dsp::Ends mode = dsp::Ends::interp;
    Index width = 9;  // frames of a window, odd
    double cval = 0;  // the value beyond the ends, for Ends::constant; any

    static constexpr auto fields() {
      return field_list(field("mode", &Params::mode), field("width", &Params::width),
                        field("cval", &Params::cval));
    }
  };

  template <class T>
  struct In {
    View<const T> x;                        // (batch, frames, columns)
    std::span<const double> fit, at_times;  // of dsp::PolynomialFit

    static constexpr auto fields() {
      return field_list(matrices("data", &In::x), field("fit", &In::fit),
                        field("at_times", &In::at_times));
    }
  };

  template <class T>
  struct Out {
    View<T> derivative;  // (batch, frames, columns)

    static constexpr auto fields() { return field_list(matrices("derivative", &Out::derivative)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_frames = 0, n_columns = 0;
    Index n_coefficients = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  // With Ends::interp what is not finite would spread from the first and last windows.
  template <class T>
  static void check_values(Plan& plan, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_frames, plan.n_columns}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);

  template <class T>
  static dsp::PolynomialFit fit(const Plan& plan, const In<T>& in) {
    return {plan.params.width, plan.n_coefficients, in.fit, in.at_times};
  }
};

}  // namespace metalmom::ops
