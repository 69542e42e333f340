// Links between frames and their nearest neighbours (dsp/neighbors.hpp), as the rows of a sparse
// matrix.
#pragma once

#include <cstdint>
#include <span>

#include "dsp/neighbors.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct LinkParams : dsp::LinkRule {
  dsp::Metric metric = dsp::Metric::euclidean;
  Index first_row = 0;  // frames of the whole matrix before the first row of `distances`

  static constexpr auto fields() {
    constexpr Range from_zero{0, 2e9, "a non-negative integer"};
    return field_list(field("metric", &LinkParams::metric),
                      field("n_neighbors", &LinkRule::n_neighbors, positive_integer),
                      field("k", &LinkRule::keep, positive_integer),
                      field("width", &LinkRule::width, from_zero),
                      field("nearest", &LinkRule::nearest), field("same", &LinkRule::same),
                      field("self_links", &LinkRule::self_links),
                      field("first_row", &LinkParams::first_row, from_zero));
  }
};

struct Links {
  static constexpr std::string_view name = "links";
  using Params = LinkParams;

  template <class T>
  struct In {
    View<const double> data;       // (1, frames, features)
    View<const double> reference;  // frames that they are linked to; if not given, to one another
    View<const double> distances;  // (1, frames, others), in place of features

    static constexpr auto fields() {
      return field_list(optional(matrices("data", &In::data)),
                        optional(matrices("reference", &In::reference)),
                        optional(matrices("distances", &In::distances)));
    }
  };

  // One row after the other; what is behind starts[n] has no meaning.
  template <class T>
  struct Out {
    View<std::int32_t> indices;
    View<double> lengths;  // distances of the links if `nearest`; otherwise empty
    View<Index> starts;    // frames + 1

    static constexpr auto fields() {
      return field_list(signals("indices", &Out::indices), signals("lengths", &Out::lengths),
                        signals("starts", &Out::starts));
    }
  };

  struct Plan {
    Params params;
    Index n = 0, n_others = 0, n_features = 0, room = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const Index size = plan.n * plan.room;
    return {{nullptr, 1, 1, size},
            {nullptr, 1, 1, plan.params.nearest ? size : 0},
            {nullptr, 1, 1, plan.n + 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

// Which links also exist in the opposite direction.
struct MutualLinks {
  static constexpr std::string_view name = "mutual_links";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const std::int32_t> indices;
    View<const Index> starts;

    static constexpr auto fields() {
      return field_list(signals("indices", &In::indices), signals("starts", &In::starts));
    }
  };

  template <class T>
  struct Out {
    View<bool> mutual;  // of each link

    static constexpr auto fields() { return field_list(signals("mutual", &Out::mutual)); }
  };

  struct Plan {
    Index n = 0, n_links = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, 1, plan.n_links}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
