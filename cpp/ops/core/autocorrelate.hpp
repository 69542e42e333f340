// Autocorrelation of whole signals.
#pragma once

#include <limits>

#include "ops/op.hpp"

namespace metalmom::ops {

struct Autocorrelate {
  static constexpr std::string_view name = "autocorrelate";

  struct Params {
    Index max_size = std::numeric_limits<Index>::max();  // lags; at most the samples

    static constexpr auto fields() {
      return field_list(
          field("max_size", &Params::max_size, Range{0, 1e19, "a non-negative integer"}));
    }
  };

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(signals("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<T> lags;  // (batch, 1, lags)

    static constexpr auto fields() { return field_list(signals("lags", &Out::lags)); }
  };

  struct Plan {
    Index batch = 0, n = 0, n_lags = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_lags}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
