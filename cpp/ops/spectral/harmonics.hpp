// Spectrograms between their bins: at harmonics of them, and summed over harmonics.
#pragma once

#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct HarmonicRows {
  static constexpr std::string_view name = "harmonic_rows";

  struct Params {
    bool swapped = false;     // S is (batch, frames, bins)
    bool peaks_only = false;  // of sums: `fill` where a bin is not above both neighbours

    static constexpr auto fields() {
      return std::tuple{field("swapped", &Params::swapped),
                        field("peaks_only", &Params::peaks_only)};
    }
  };

  template <class T>
  struct In {
    View<const T> S;                  // (batch, bins, frames), or swapped
    std::span<const double> low;      // the bin below each row; -1: there is none
    std::span<const double> high;     // the bin above
    std::span<const double> share;    // of the latter
    std::span<const double> weights;  // of harmonics, as many rows of each; none: every row alone
    std::span<const double> fill;     // one value; none: the given `out` is zero all over

    static constexpr auto fields() {
      return std::tuple{matrices("S", &In::S),         field("low", &In::low),
                        field("high", &In::high),      field("share", &In::share),
                        field("weights", &In::weights), field("fill", &In::fill)};
    }
  };

  template <class T>
  struct Out {
    View<double> rows;  // (batch, rows, frames)

    static constexpr auto fields() { return std::tuple{matrices("rows", &Out::rows)}; }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_frames = 0, n_bins = 0;
    Index n_rows = 0, n_harmonics = 0;  // of the result; 0: not summed
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_rows, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
