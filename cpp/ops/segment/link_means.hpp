// Means of frames over those that they are linked to, as the rows of a sparse matrix say.
#pragma once

#include <cstdint>

#include "ops/op.hpp"

namespace metalmom::ops {

struct LinkMeans {
  static constexpr std::string_view name = "link_means";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const T> frames;  // (1, frames, values)
    View<const std::int32_t> indices;
    View<const Index> starts;    // of each frame's links, and their end
    View<const double> weights;  // of the links, if they do not count alike

    static constexpr auto fields() {
      return field_list(matrices("frames", &In::frames), signals("indices", &In::indices),
                        signals("starts", &In::starts), optional(signals("weights", &In::weights)));
    }
  };

  template <class T>
  struct Out {
    View<T> means;  // the shape of frames; a frame without links is its own mean

    static constexpr auto fields() { return field_list(matrices("means", &Out::means)); }
  };

  struct Plan {
    Index n = 0, width = 0, n_links = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.n, plan.width}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
