// Paths through the states of hidden Markov models (dsp/viterbi.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct Viterbi {
  static constexpr std::string_view name = "viterbi";

  struct Params {
    double log_threshold = -std::numeric_limits<double>::infinity();

    static constexpr auto fields() {
      return field_list(field("log_threshold", &Params::log_threshold));
    }
  };

  template <class T>
  struct In {
    View<const double> log_prob;             // (batch, states, steps)
    View<const double> initial;              // (batch, 1, states): values of the first step
    std::span<const double> log_transition;  // (states, states), of the whole batch

    static constexpr auto fields() {
      return field_list(matrices("log_prob", &In::log_prob), signals("initial", &In::initial),
                        field("log_transition", &In::log_transition));
    }
  };

  template <class T>
  struct Out {
    View<std::uint16_t> states;  // (batch, 1, steps)
    View<double> value;          // (batch, 1, 1), of the path

    static constexpr auto fields() {
      return field_list(signals("states", &Out::states), scalars("value", &Out::value));
    }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_states = 0, n_steps = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_steps}, {nullptr, plan.batch, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
