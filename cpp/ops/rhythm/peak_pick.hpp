// Peaks of novelty curves.
#pragma once

#include "dsp/peak_pick.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct PeakPick {
  static constexpr std::string_view name = "peak_pick";

  struct Params : dsp::PeakRule {
    dsp::PeakMethod method = dsp::PeakMethod::greedy;

    static constexpr auto fields() {
      return field_list(field("pre_max", &PeakRule::pre_max, non_negative_integer),
                        field("post_max", &PeakRule::post_max, positive_integer),
                        field("pre_avg", &PeakRule::pre_avg, non_negative_integer),
                        field("post_avg", &PeakRule::post_avg, positive_integer),
                        field("delta", &PeakRule::delta, non_negative),
                        field("wait", &PeakRule::wait, non_negative_integer),
                        field("method", &Params::method));
    }
  };

  template <class T>
  struct In {
    View<const T> x;  // (batch, 1, values)

    static constexpr auto fields() { return field_list(signals("x", &In::x)); }
  };

  template <class T>
  struct Out {
    View<bool> peaks;  // the shape of x

    static constexpr auto fields() { return field_list(signals("peaks", &Out::peaks)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    return {params, in.x.batch, in.x.cols};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
