// Mu-law companding, value by value (dsp/simd/companding.hpp).
#pragma once

#include "ops/op.hpp"

namespace metalmom::ops {

struct CompandingParams {
  double mu = 255;

  static constexpr auto fields() {
    return field_list(field("mu", &CompandingParams::mu, strictly_positive));
  }
};

template <class T>
struct CompandingInputs {
  View<const T> x;  // (batch, 1, values) in [-1, 1]

  static constexpr auto fields() { return field_list(signals("x", &CompandingInputs::x)); }
};

// One value for each value of the input.
template <class Value>
struct CompandingOutput {
  View<Value> values;

  static constexpr auto fields() {
    return field_list(signals("values", &CompandingOutput::values));
  }
};

struct CompandingPlan {
  double mu = 255;
  Index batch = 0, n_values = 0;
};

// What the three ops share.
struct Companding {
  using Params = CompandingParams;
  using Plan = CompandingPlan;

  template <class T>
  static Plan plan(const Params& params, const CompandingInputs<T>& in);
  static Cost cost(const Plan& plan);

 protected:
  template <class Out>
  static Out shaped(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_values}};
  }
};

// sign(x) log(1 + mu |x|) / log(1 + mu)
struct MuCompress : Companding {
  static constexpr std::string_view name = "mu_compress";
  template <class T>
  using In = CompandingInputs<T>;
  template <class T>
  using Out = CompandingOutput<double>;

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return shaped<Out<T>>(plan);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
};

// The same as integer codes: the number of evenly spaced edges below the value, less that of zero.
struct MuQuantize : Companding {
  static constexpr std::string_view name = "mu_quantize";
  template <class T>
  struct In : CompandingInputs<T> {
    std::span<const double> edges;  // ascending from -1 to 1

    static constexpr auto fields() {
      return joined_fields(CompandingInputs<T>::fields(), field_list(field("edges", &In::edges)));
    }
  };
  template <class T>
  using Out = CompandingOutput<Index>;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return shaped<Out<T>>(plan);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
};

// sign(x) ((1 + mu)^|x| - 1) / mu
struct MuExpand : Companding {
  static constexpr std::string_view name = "mu_expand";
  template <class T>
  using In = CompandingInputs<T>;
  template <class T>
  using Out = CompandingOutput<T>;

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return shaped<Out<T>>(plan);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
};

}  // namespace metalmom::ops
