// The largest of several convolutions with lines (dsp/line_filter.hpp).
#pragma once

#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct FilterLines {
  static constexpr std::string_view name = "filter_lines";

  struct Params {
    Index n_rows = 1, n_cols = 1;  // of the result

    static constexpr auto fields() {
      return field_list(field("n_rows", &Params::n_rows, positive_integer),
                        field("n_cols", &Params::n_cols, positive_integer));
    }
  };

  template <class T>
  struct In {
    View<const T> image;              // (1, rows, cols), with its padding
    std::span<const double> weights;  // of all kernels, one after the other
    std::span<const double> sizes;    // of each kernel, which is square
    std::span<const double> offsets;  // rows and columns into the image where each begins

    static constexpr auto fields() {
      return field_list(matrices("image", &In::image), field("weights", &In::weights),
                        field("sizes", &In::sizes), field("offsets", &In::offsets));
    }
  };

  template <class T>
  struct Out {
    View<T> largest;  // (1, n_rows, n_cols)

    static constexpr auto fields() { return field_list(matrices("largest", &Out::largest)); }
  };

  struct Plan {
    Params params;
    Index stride = 0;
    double n_weights = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, 1, plan.params.n_rows, plan.params.n_cols}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
