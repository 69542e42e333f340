// Spectrograms between their bins: at harmonics of them, and summed over harmonics.
#pragma once

#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct HarmonicRows {
  static constexpr std::string_view name = "harmonic_rows";

  struct Params {
    bool peaks_only = false;  // in sums a bin that is not above both neighbours becomes `fill`

    static constexpr auto fields() { return field_list(field("peaks_only", &Params::peaks_only)); }
  };

  template <class T>
  struct In {
    Spectrogram<const T> S;
    std::span<const double> low;    // the bin below each row; -1: the row lies outside of the bins
    std::span<const double> high;   // the bin above
    std::span<const double> share;  // the weight of the bin above
    // of harmonics, with as many rows for each; if empty, rows are not summed
    std::span<const double> weights;
    std::span<const double> fill;  // one value; if empty, `out` must be given and zero

    static constexpr auto fields() {
      return field_list(matrices("S", &In::S), field("low", &In::low), field("high", &In::high),
                        field("share", &In::share), field("weights", &In::weights),
                        field("fill", &In::fill));
    }
  };

  template <class T>
  struct Out {
    View<double> rows;  // (batch, rows, frames)

    static constexpr auto fields() { return field_list(matrices("rows", &Out::rows)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_frames = 0, n_bins = 0;
    Index n_rows = 0, n_harmonics = 0;  // rows of the result; harmonics that are summed, 0: none
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
