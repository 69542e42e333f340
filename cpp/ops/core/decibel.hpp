// Power and amplitude in decibels.
#pragma once

#include <span>

#include "ops/core/level_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Decibel {
  static constexpr std::string_view name = "decibel";

  // here top_db and maximum are those of a group of values, not of a signal
  struct Params : LevelParams {
    // squares the values first; amin and ref are those of powers in either case
    bool amplitude = false;

    static constexpr auto fields() {
      return joined_fields(LevelParams::fields(),
                           field_list(field("amplitude", &Params::amplitude)));
    }
  };

  template <class T>
  struct In {
    View<const T> S;              // (groups, 1, values)
    std::span<const double> ref;  // one, or one for each group

    static constexpr auto fields() {
      return field_list(signals("S", &In::S), field("ref", &In::ref));
    }
  };

  template <class T>
  struct Out {
    View<T> level;  // (groups, 1, values)

    static constexpr auto fields() { return field_list(signals("level", &Out::level)); }
  };

  struct Plan {
    Params params;
    Index groups = 0, values = 0;
    bool finite_ref = true;  // all of them
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.groups, 1, plan.values}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
