// A spectrogram of given magnitudes and phases: random ones begin the Griffin-Lim iteration.
#pragma once

#include <complex>

#include "ops/op.hpp"

namespace metalmom::ops {

struct Phasors {
  static constexpr std::string_view name = "phasors";
  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const T> S;           // magnitudes (batch, frames, bins)
    View<const double> turns;  // phases in turns, 0 .. 1 (batch, bins, frames)

    static constexpr auto fields() {
      return field_list(matrices("S", &In::S), matrices("turns", &In::turns));
    }
  };

  template <class T>
  struct Out {
    View<std::complex<T>> spectrum;  // (batch, frames, bins)

    static constexpr auto fields() { return field_list(matrices("spectrum", &Out::spectrum)); }
  };

  struct Plan {
    Index batch = 0, n_frames = 0, n_bins = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_frames, plan.n_bins}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
