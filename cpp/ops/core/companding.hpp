// Mu-law companding, value by value (dsp/simd/companding.hpp).
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct CompandingParams {
  double mu = 255;

  static constexpr auto fields() {
    return std::tuple{field("mu", &CompandingParams::mu, strictly_positive)};
  }
};

template <class T>
struct CompandingInputs {
  View<const T> x;  // (batch, 1, values) in [-1, 1]

  static constexpr auto fields() { return std::tuple{signals("x", &CompandingInputs::x)}; }
};

struct CompandingPlan {
  double mu = 255;
  Index batch = 0, n_values = 0, n_edges = 0;
};

Cost companding_cost(const CompandingPlan& plan);

// sign(x) log(1 + mu |x|) / log(1 + mu)
struct MuCompress {
  static constexpr std::string_view name = "mu_compress";
  using Params = CompandingParams;
  template <class T>
  using In = CompandingInputs<T>;
  template <class T>
  struct Out {
    View<double> levels;

    static constexpr auto fields() { return std::tuple{signals("levels", &Out::levels)}; }
  };
  using Plan = CompandingPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_values}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return companding_cost(plan); }
};

// The same as codes: how many of evenly spaced edges lie below, 0 in the middle.
struct MuQuantize {
  static constexpr std::string_view name = "mu_quantize";
  using Params = CompandingParams;
  template <class T>
  struct In {
    View<const T> x;               // (batch, 1, values) in [-1, 1]
    std::span<const double> edges;  // ascending from -1 to 1

    static constexpr auto fields() {
      return std::tuple{signals("x", &In::x), field("edges", &In::edges)};
    }
  };
  template <class T>
  struct Out {
    View<Index> codes;

    static constexpr auto fields() { return std::tuple{signals("codes", &Out::codes)}; }
  };
  using Plan = CompandingPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_values}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return companding_cost(plan); }
};

// sign(x) ((1 + mu)^|x| - 1) / mu
struct MuExpand {
  static constexpr std::string_view name = "mu_expand";
  using Params = CompandingParams;
  template <class T>
  using In = CompandingInputs<T>;
  template <class T>
  struct Out {
    View<T> y;

    static constexpr auto fields() { return std::tuple{signals("y", &Out::y)}; }
  };
  using Plan = CompandingPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_values}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return companding_cost(plan); }
};

}  // namespace metalmom::ops
